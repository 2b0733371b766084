package main

import (
	"encoding/json"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"sigs.k8s.io/yaml"
)

type textQuestion struct {
	Text string `json:"text"`
}

// parseYAML reads the text as one document.
func parseYAML(question []byte) (any, error) {
	var in textQuestion
	if err := json.Unmarshal(question, &in); err != nil {
		return nil, err
	}
	document, err := yaml.YAMLToJSON([]byte(in.Text))
	return map[string]json.RawMessage{"json": document}, err
}

// splitYAML reads the text as the stream of manifests that a plugin prints.
func splitYAML(question []byte) (any, error) {
	var in textQuestion
	if err := json.Unmarshal(question, &in); err != nil {
		return nil, err
	}
	found, err := kube.SplitYAML([]byte(in.Text))
	objects := []any{}
	for _, object := range found {
		objects = append(objects, object)
	}
	return map[string]any{"objects": objects}, err
}
