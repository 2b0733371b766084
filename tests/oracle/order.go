package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/hook"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube/kubetest"
	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

type syncQuestion struct {
	Namespace string           `json:"namespace"`
	Target    []map[string]any `json:"target"`
	Live      []map[string]any `json:"live"`
	PruneLast bool             `json:"pruneLast"`
}

type syncAnswer struct {
	// Tasks in order, as the engine prints them.
	Tasks []string `json:"tasks"`
	// Policies are the delete policies of each target, null for one that is no hook.
	Policies [][]common.HookDeletePolicy `json:"policies"`
}

// order lets the engine plan the sync and catches the ordered tasks, which it gives away only by logging them.
func order(question []byte) (any, error) {
	var in syncQuestion
	if err := json.Unmarshal(question, &in); err != nil {
		return nil, err
	}
	var target []*unstructured.Unstructured
	out := syncAnswer{Tasks: []string{}}
	for _, object := range in.Target {
		object := &unstructured.Unstructured{Object: object}
		target = append(target, object)
		out.Policies = append(out.Policies, deletePolicies(object))
	}
	reconciled := sync.Reconcile(target, liveByKey(in.Live), in.Namespace, namespaced{})
	config := &rest.Config{Transport: emptyCluster{}, QPS: -1}
	logger := funcr.NewJSON(func(line string) { out.catchTasks(line) }, funcr.Options{})
	context, cleanup, err := sync.NewSyncContext(
		"revision", reconciled, config, config, &kubetest.MockKubectlCmd{}, in.Namespace,
		sync.WithLogr(logger),
		sync.WithPruneLast(in.PruneLast),
		sync.WithOperationSettings(true, true, false, false),
		sync.WithSkipDryRunOnMissingResource(true),
		// An operation that has begun: at its beginning the engine leaves the destination namespace out of the list.
		sync.WithInitialState(common.OperationRunning, "", []common.ResourceSyncResult{{}}, metav1.Now()),
	)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	context.Sync()
	if phase, message, _ := context.GetState(); phase == common.OperationFailed {
		return nil, fmt.Errorf("sync failed: %s", message)
	}
	return out, nil
}

func (answer *syncAnswer) catchTasks(line string) {
	var logged struct{ Msg, Tasks string }
	if json.Unmarshal([]byte(line), &logged) == nil && logged.Msg == "Tasks" && logged.Tasks != "[]" {
		answer.Tasks = strings.Split(strings.Trim(logged.Tasks, "[]"), ", ")
	}
}

func deletePolicies(object *unstructured.Unstructured) []common.HookDeletePolicy {
	if !hook.IsHook(object) {
		return nil
	}
	return hook.DeletePolicies(object)
}

func liveByKey(live []map[string]any) map[kube.ResourceKey]*unstructured.Unstructured {
	byKey := map[kube.ResourceKey]*unstructured.Unstructured{}
	for i, object := range live {
		object := &unstructured.Unstructured{Object: object}
		// Of live objects with one UID the engine keeps one.
		object.SetUID(types.UID(fmt.Sprint(i)))
		byKey[kube.GetResourceKey(object)] = object
	}
	return byKey
}

// namespaced says so of every kind; it only matters for finding the live object of a target, and here none has one.
type namespaced struct{}

func (namespaced) IsNamespaced(schema.GroupKind) (bool, error) { return true, nil }

// emptyCluster knows no kind and has no object.
type emptyCluster struct{}

func (emptyCluster) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
}
