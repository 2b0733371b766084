{{- define "common.database" -}}
apiVersion: kindadb.example.com/v1alpha1
kind: Database
{{ include "common.metadata" (dict "top" . "component" "database") }}
spec:
  engine: {{ .Values.database.engine }}
  name: {{ .Values.database.name }}
{{- end }}
