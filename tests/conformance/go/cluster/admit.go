package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"

	admission "k8s.io/api/admission/v1"
	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serveAdmission answers every admission and conversion review with yes, on the ports given. It stands in for the
// programs inside simulated pods: whoever dials a pod's address reaches it, with a certificate for the name asked for.
// Whether a webhook can be reached at all is decided by the API server: only through the endpoints of ready pods.
func serveAdmission(keys string, addresses []string) error {
	pair, err := tls.LoadX509KeyPair(filepath.Join(keys, "ca.crt"), filepath.Join(keys, "ca.key"))
	if err != nil {
		return err
	}
	authority, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return err
	}
	names := &namedCertificates{authority: authority, key: pair.PrivateKey.(*ecdsa.PrivateKey), known: map[string]*tls.Certificate{}}
	config := &tls.Config{GetCertificate: names.get}
	failed := make(chan error)
	for _, address := range addresses {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		go func() { failed <- http.Serve(tls.NewListener(listener, config), http.HandlerFunc(answer)) }()
	}
	fmt.Println("ready")
	return <-failed
}

func answer(response http.ResponseWriter, request *http.Request) {
	var review struct {
		metav1.TypeMeta
		Request json.RawMessage
	}
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	var reply any
	switch review.Kind {
	case "ConversionReview":
		reply = converted(review.TypeMeta, review.Request)
	default:
		asked := admission.AdmissionRequest{}
		if err := json.Unmarshal(review.Request, &asked); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		reply = admission.AdmissionReview{TypeMeta: review.TypeMeta, Response: &admission.AdmissionResponse{UID: asked.UID, Allowed: true}}
	}
	fmt.Printf("%s %s\n", request.TLS.ServerName, request.URL.Path)
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(reply)
}

// converted returns the objects as they came, in the version asked for.
func converted(kind metav1.TypeMeta, request json.RawMessage) any {
	asked := extensions.ConversionRequest{}
	reply := extensions.ConversionReview{TypeMeta: kind, Response: &extensions.ConversionResponse{}}
	if err := json.Unmarshal(request, &asked); err != nil {
		reply.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
		return reply
	}
	reply.Response.UID = asked.UID
	reply.Response.Result = metav1.Status{Status: metav1.StatusSuccess}
	for _, object := range asked.Objects {
		fields := map[string]any{}
		_ = json.Unmarshal(object.Raw, &fields)
		fields["apiVersion"] = asked.DesiredAPIVersion
		object.Raw, _ = json.Marshal(fields)
		reply.Response.ConvertedObjects = append(reply.Response.ConvertedObjects, object)
	}
	return reply
}

type namedCertificates struct {
	lock      sync.Mutex
	authority *x509.Certificate
	key       *ecdsa.PrivateKey
	known     map[string]*tls.Certificate
}

func (n *namedCertificates) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if found := n.known[hello.ServerName]; found != nil {
		return found, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate(hello.ServerName)
	template.DNSNames = []string{hello.ServerName}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	signed, err := x509.CreateCertificate(rand.Reader, template, n.authority, key.Public(), n.key)
	if err != nil {
		return nil, err
	}
	made := &tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
	n.known[hello.ServerName] = made
	return made, nil
}
