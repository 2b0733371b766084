{{- define "tls" }}{{ $ca := genCA "db" 365 }}{{ end }}
