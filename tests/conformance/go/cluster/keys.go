package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// writeKeys fills a folder with the key material of one run: the service-account key pair (sa.key, sa.pub) and the
// authority that signs the webhook backends' certificates (ca.key, ca.crt).
func writeKeys(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	account, err := newKey(filepath.Join(folder, "sa.key"))
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(account.Public())
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(folder, "sa.pub"), "PUBLIC KEY", public); err != nil {
		return err
	}
	authority, err := newKey(filepath.Join(folder, "ca.key"))
	if err != nil {
		return err
	}
	template := certificate("conformance webhook authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	signed, err := x509.CreateCertificate(rand.Reader, template, template, authority.Public(), authority)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(folder, "ca.crt"), "CERTIFICATE", signed)
}

func certificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
}

func newKey(file string) (crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(file, "EC PRIVATE KEY", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
