{{ define "name" }}shop{{ end }}
