{{/* A pod of the application: `command` runs in its image with its whole environment. */}}
{{- define "common.pod" -}}
{{- $top := .top -}}
serviceAccountName: {{ $top.Release.Name }}
{{- with .restartPolicy }}
restartPolicy: {{ . }}
{{- end }}
containers:
  - name: {{ .component }}
    image: "{{ $top.Values.image.repository }}:{{ $top.Values.image.tag }}"
    {{- with .command }}
    command: {{ toJson . }}
    {{- end }}
    envFrom:
      - configMapRef: {name: {{ $top.Release.Name }}-env}
      - secretRef: {name: {{ $top.Release.Name }}-app}
      - secretRef: {name: {{ $top.Release.Name }}-credentials}
    {{- if .port }}
    ports:
      - name: http
        containerPort: {{ $top.Values.service.port }}
    readinessProbe:
      httpGet: {path: {{ $top.Values.probe }}, port: http}
    {{- end }}
{{- end }}

{{- define "common.deployment" -}}
apiVersion: apps/v1
kind: Deployment
{{ include "common.metadata" . }}
spec:
  replicas: {{ .replicas }}
  selector:
    matchLabels: &labels
      {{- include "common.labels" .top | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels: *labels
    spec:
      {{- include "common.pod" . | nindent 6 }}
{{- end }}

{{- define "common.job" -}}
apiVersion: batch/v1
kind: Job
{{ include "common.metadata" . }}
spec:
  backoffLimit: 3
  template:
    spec:
      {{- include "common.pod" (merge (dict "restartPolicy" "Never") .) | nindent 6 }}
{{- end }}

{{- define "common.cronjobs" -}}
{{- range $cron := .Values.cronjobs }}
---
apiVersion: batch/v1
kind: CronJob
{{ include "common.metadata" (dict "top" $ "component" "cron" "suffix" $cron.name) }}
spec:
  schedule: {{ $cron.schedule | quote }}
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          {{- include "common.pod" (dict "top" $ "component" "cron" "command" $cron.command "restartPolicy" "Never") | nindent 10 }}
{{- end }}
{{- end }}

{{- define "common.queueworkers" -}}
{{- range $worker := .Values.queueWorkers }}
---
{{ include "common.deployment" (dict "top" $ "component" (printf "queue-%s" $worker.name) "suffix" (printf "queue-%s" $worker.name) "replicas" $worker.replicas "command" $worker.command) }}
{{- end }}
{{- end }}

{{/* The environment, the account, the web pods and the way to them. */}}
{{- define "common.web" -}}
apiVersion: v1
kind: ServiceAccount
{{ include "common.metadata" (dict "top" . "component" "web") }}
---
apiVersion: v1
kind: ConfigMap
{{ include "common.metadata" (dict "top" . "component" "web" "suffix" "env") }}
data:
  {{- tpl (toYaml .Values.env) . | nindent 2 }}
---
apiVersion: v1
kind: Secret
{{ include "common.metadata" (dict "top" . "component" "web" "suffix" "app") }}
stringData:
  {{- toYaml .Values.secrets | nindent 2 }}
---
{{ include "common.deployment" (dict "top" . "component" "web" "replicas" .Values.replicas "port" true) }}
---
apiVersion: v1
kind: Service
{{ include "common.metadata" (dict "top" . "component" "web") }}
spec:
  selector:
    {{- include "common.labels" . | nindent 4 }}
    app.kubernetes.io/component: web
  ports:
    - name: http
      port: 80
      targetPort: http
---
apiVersion: networking.k8s.io/v1
kind: Ingress
{{ include "common.metadata" (dict "top" . "component" "web") }}
spec:
  ingressClassName: {{ .Values.ingress.className }}
  rules:
    - host: {{ .Values.ingress.host }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ .Release.Name }}
                port: {name: http}
{{- end }}
