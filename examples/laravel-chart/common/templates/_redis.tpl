{{- define "common.redis" -}}
{{- $metadata := include "common.metadata" (dict "top" . "component" "redis" "suffix" "redis") -}}
apiVersion: v1
kind: PersistentVolumeClaim
{{ $metadata }}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: {{ .Values.redis.storageClass }}
  resources:
    requests:
      storage: {{ .Values.redis.size }}
---
apiVersion: v1
kind: Service
{{ $metadata }}
spec:
  selector:
    {{- include "common.labels" . | nindent 4 }}
    app.kubernetes.io/component: redis
  ports:
    - name: redis
      port: 6379
---
apiVersion: apps/v1
kind: Deployment
{{ $metadata }}
spec:
  replicas: 1
  strategy:
    type: Recreate
  selector:
    matchLabels: &labels
      {{- include "common.labels" . | nindent 6 }}
      app.kubernetes.io/component: redis
  template:
    metadata:
      labels: *labels
    spec:
      containers:
        - name: redis
          image: {{ .Values.redis.image }}
          args: [--appendonly, "yes"]
          ports:
            - containerPort: 6379
          readinessProbe:
            exec: {command: [redis-cli, ping]}
          volumeMounts:
            - name: data
              mountPath: /data
      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: {{ .Release.Name }}-redis
{{- end }}
