// Command client asks a real argocd-repo-server or argocd-cmp-server by gRPC.
//
// It reads a JSON array of questions on stdin and prints the array of answers in the same order. Questions are asked
// one after the other, or all at once with -together.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	cmpclient "github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
	utiltls "github.com/argoproj/argo-cd/v3/util/tls"
)

// question is one call. `Server` is the repo-server's address; `Socket` and `Folder` address a cmp-server instead.
type question struct {
	Call        string // generate, details, match, announce
	Server      string
	Socket      string
	Folder      string
	Environment []string
	Source      v1alpha1.ApplicationSource
	Application string
	Namespace   string
	KubeVersion *string
	APIVersions []string
	// Flags of `kustomize build`, which Argo CD keeps in its settings.
	KustomizeFlags string
	NoCache        bool
	Seconds        float64
}

type answer struct {
	Result any     `json:"result"`
	Error  string  `json:"error,omitempty"`
	Millis float64 `json:"millis"`
}

func main() {
	together := flag.Bool("together", false, "ask all questions at once")
	flag.Parse()
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		log.Fatal(err)
	}
	answers := make([]answer, len(questions))
	var asked sync.WaitGroup
	for index := range questions {
		if !*together {
			answers[index] = ask(&questions[index])
			continue
		}
		asked.Add(1)
		go func() {
			defer asked.Done()
			answers[index] = ask(&questions[index])
		}()
	}
	asked.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}

func ask(q *question) answer {
	limit := 60 * time.Second
	if q.Seconds > 0 {
		limit = time.Duration(q.Seconds * float64(time.Second))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	call := askRepoServer
	if q.Socket != "" {
		call = askPlugin
	}
	// A first connection costs more than the call; the clock starts when both sides are there.
	start := time.Now()
	result, err := call(ctx, q, &start)
	a := answer{Result: result, Millis: float64(time.Since(start).Microseconds()) / 1000}
	if err != nil {
		a.Result, a.Error = nil, err.Error()
	}
	return a
}

func askRepoServer(ctx context.Context, q *question, start *time.Time) (any, error) {
	conn, client, err := apiclient.NewRepoServerClientset(q.Server, 60, utiltls.Configuration{DisableTLS: true}).NewRepoServerClient()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	*start = time.Now()
	repo := &v1alpha1.Repository{Repo: q.Source.RepoURL}
	if q.Call == "details" {
		return client.GetAppDetails(ctx, &apiclient.RepoServerAppDetailsQuery{
			Repo: repo, Source: &q.Source, NoCache: q.NoCache, AppName: q.Application,
		})
	}
	version := "1.36.3"
	if q.KubeVersion != nil {
		version = *q.KubeVersion
	}
	return client.GenerateManifest(ctx, &apiclient.ManifestRequest{
		Repo: repo, Revision: q.Source.TargetRevision, AppName: q.Application, Namespace: q.Namespace,
		ApplicationSource: &q.Source, NoCache: q.NoCache, KubeVersion: version, ApiVersions: q.APIVersions,
		ProjectName: "default", ProjectSourceRepos: []string{"*"},
		KustomizeOptions: &v1alpha1.KustomizeOptions{BuildOptions: q.KustomizeFlags},
		AppLabelKey:      "app.kubernetes.io/instance", TrackingMethod: string(v1alpha1.TrackingMethodAnnotation),
	})
}

func askPlugin(ctx context.Context, q *question, start *time.Time) (any, error) {
	conn, client, err := cmpclient.NewConfigManagementPluginClientSet(q.Socket).NewConfigManagementPluginClient()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	*start = time.Now()
	application := filepath.Join(q.Folder, q.Source.Path)
	send := func(stream cmp.StreamSender) error {
		return cmp.SendRepoStream(ctx, application, q.Folder, stream, q.Environment, nil)
	}
	switch q.Call {
	case "match":
		stream, err := client.MatchRepository(ctx)
		if err != nil {
			return nil, err
		}
		if err := send(stream); err != nil {
			return nil, err
		}
		return stream.CloseAndRecv()
	case "announce":
		stream, err := client.GetParametersAnnouncement(ctx)
		if err != nil {
			return nil, err
		}
		if err := send(stream); err != nil {
			return nil, err
		}
		return stream.CloseAndRecv()
	default:
		stream, err := client.GenerateManifest(ctx)
		if err != nil {
			return nil, err
		}
		if err := send(stream); err != nil {
			return nil, err
		}
		return stream.CloseAndRecv()
	}
}
