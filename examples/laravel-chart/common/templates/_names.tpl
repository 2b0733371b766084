{{- define "common.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "common.metadata" -}}
{{- $top := .top -}}
metadata:
  name: {{ $top.Release.Name }}{{ with .suffix }}-{{ . }}{{ end }}
  labels:
    {{- include "common.labels" $top | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
