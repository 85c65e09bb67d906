{{/* Objects' names begin with the release's name; with the longest suffix, -worker, they fit into 63 characters. */}}
{{- define "snap.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "snap.selector" -}}
app.kubernetes.io/name: snap
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "snap.labels" -}}
{{ include "snap.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The role that responds to requests. */}}
{{- define "snap.frontRole" -}}
{{- if eq .Values.mode "single" }}all{{ else }}api{{ end -}}
{{- end -}}

{{/* The pod of a process. Arguments: root, role. */}}
{{- define "snap.pod" -}}
{{- $values := .root.Values -}}
{{- $process := get $values .role | default dict -}}
metadata:
  labels:
    {{- include "snap.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Otherwise, a Service called snap would set SNAP_PORT to its address.
  enableServiceLinks: false
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    # The volume's group.
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: Localhost
      localhostProfile: {{ $values.seccompProfile | quote }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  # A machine that fails takes as few processes with it as possible.
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "snap.selector" .root | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  containers:
    - name: snap
      image: {{ $process.image | default $values.image | quote }}
      imagePullPolicy: {{ $values.imagePullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- with $values.secretName }}
      envFrom:
        - secretRef:
            name: {{ . }}
      {{- end }}
      env:
        {{- range $name, $value := $values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        - name: SNAP_PUBLIC_URL
          value: {{ $values.publicUrl | quote }}
        - name: SNAP_ROLE
          value: {{ .role }}
        - name: SNAP_HOST
          value: 0.0.0.0
        - name: SNAP_PORT
          value: "3000"
        - name: SNAP_DATA_DIR
          value: /var/lib/snap
        - name: SNAP_SANDBOX
          value: "on"
        - name: SNAP_RENDER_CONCURRENCY
          value: {{ $process.renderConcurrency | default $values.renderConcurrency | quote }}
        # Requests still arrive until every node knows that the pod is stopping.
        - name: SNAP_DRAIN_DELAY
          value: 10s
        - name: SNAP_METRICS
          value: {{ ternary "on" "off" $values.metrics.enabled | quote }}
      ports:
        - name: http
          containerPort: 3000
      # A first start can migrate the database, or wait for another process that does.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 150
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      # Each check writes to the storage.
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- $process.resources | default $values.resources | toYaml | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/snap
        - name: tmp
          mountPath: /tmp
        - name: shm
          mountPath: /dev/shm
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: data
      {{- if eq .role "all" }}
      persistentVolumeClaim:
        claimName: {{ $values.volume.existingClaim | default (printf "%s-data" (include "snap.name" .root)) }}
      {{- else }}
      # Unused: it replaces the volume that the container would otherwise get.
      emptyDir: { sizeLimit: 1Mi }
      {{- end }}
    # Browser profiles, which are deleted with their browser. They count toward the memory limit.
    - name: tmp
      emptyDir: { medium: Memory, sizeLimit: 512Mi }
    # The browser draws pages in shared memory, and needs more than the default of 64 MiB.
    - name: shm
      emptyDir: { medium: Memory, sizeLimit: 1Gi }
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
