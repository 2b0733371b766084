package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	kwoksignals "sigs.k8s.io/kwok/pkg/utils/signals"
)

// The Stage that is touched to make kwok look again; it only concerns nodes, so a touch changes nothing.
const touchedStage = "node-initialize"

var (
	crds   = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	stages = schema.GroupVersionResource{Group: "kwok.x-k8s.io", Version: "v1alpha1", Resource: "stages"}
	// Discovery and OpenAPI of a new kind lag behind its CRD, and kwok needs both.
	touchAfter = []time.Duration{100, 500, 1000, 2000, 4000, 8000}
)

func runKwok() {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := kwoklog.InitFlags(kwoksignals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	exitOn(err)
	go func() { exitOn(touchStages(ctx, os.Getenv("KUBECONFIG"))) }()
	command := kwok.NewCommand(ctx)
	// The binary's global --version flag is no bool, which cobra's own version handling refuses.
	command.Version = ""
	command.PersistentFlags().AddFlagSet(flags)
	exitOn(command.ExecuteContext(ctx))
}

// touchStages touches one Stage whenever a CRD appears or changes: kwok starts the controller of a kind only when some
// Stage changes, so a Stage whose CRD comes later would never act.
func touchStages(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	informers := metadatainformer.NewSharedInformerFactory(client, 0)
	handlers := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { notify() }, UpdateFunc: func(_, _ any) { notify() }}
	if _, err := informers.ForResource(crds).Informer().AddEventHandler(handlers); err != nil {
		return err
	}
	informers.Start(ctx.Done())

	var due []time.Time
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			due = due[:0]
			for _, wait := range touchAfter {
				due = append(due, time.Now().Add(wait*time.Millisecond))
			}
		case now := <-tick.C:
			if len(due) == 0 || now.Before(due[0]) {
				continue
			}
			due = due[1:]
			patch := fmt.Sprintf(`{"metadata":{"annotations":{"conformance.test/touched":%q}}}`, now.Format(time.RFC3339Nano))
			_, err := client.Resource(stages).Patch(ctx, touchedStage, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			if err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "touch stages:", err)
			}
		}
	}
}
