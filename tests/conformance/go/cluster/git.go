package main

import (
	"net"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strings"
)

// serveGit serves the git repositories below a folder over smart HTTP: Flux reads no file:// URLs.
func serveGit(address, folder string) error {
	where, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(listener, &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(where)), "git-http-backend"),
		Root: "/",
		Env: []string{
			"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		},
	})
}
