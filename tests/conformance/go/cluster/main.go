// Command cluster holds a Kubernetes control plane in one binary: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler, kubectl, and kwok in the place of nodes. The rest is the harness's own: the key material of one run,
// the webhook backend behind every simulated pod, and a git server.
//
// The program to run is the name it was called by, else its first argument.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata"

	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokcrd "sigs.k8s.io/kwok/kustomize/crd"
	kwoknode "sigs.k8s.io/kwok/kustomize/stage/node/fast"
)

var programs = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) },
	"kube-controller-manager": func() { os.Exit(cli.Run(controllermanager.NewControllerManagerCommand())) },
	"kube-scheduler":          func() { os.Exit(cli.Run(scheduler.NewSchedulerCommand())) },
	"kubectl":                 runKubectl,
	"kwok":                    runKwok,
	"kwok-crd":                func() { fmt.Printf("%s", kwokcrd.Stage) },
	"kwok-node-stage":         func() { fmt.Printf("%s", kwoknode.DefaultNodeInit) },
	"keys":                    func() { exitOn(writeKeys(os.Args[1])) },
	"admit":                   func() { exitOn(serveAdmission(os.Args[1], os.Args[2:])) },
	"git-http":                func() { exitOn(serveGit(os.Args[1], os.Args[2])) },
}

func main() {
	if run, ok := programs[filepath.Base(os.Args[0])]; ok {
		run()
		return
	}
	if len(os.Args) > 1 {
		if run, ok := programs[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			run()
			return
		}
	}
	fmt.Fprintln(os.Stderr, "cluster: the first argument names no program of this binary")
	os.Exit(2)
}

func runKubectl() {
	logs.GlogSetter(kubectl.GetLogVerbosity(os.Args)) //nolint:errcheck
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
