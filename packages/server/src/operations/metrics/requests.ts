import type { Registry } from "prom-client";
import { counter, histogram } from "./define.ts";

/** One request, as the metrics count it. */
export interface CountedRequest {
  /** Path of the route, or `unmatched`; never the path that the caller sent. */
  readonly route: string;
  readonly status: number;
  /** Error code; empty on success. */
  readonly code: string;
  /** From the arrival of the request to the end of its response. */
  readonly durationSeconds: number;
}

/** The routes of `packages/server/src/http/app.ts`. */
export const ROUTES = {
  "/v1/snap": "a rendering, with a token",
  "/v1/snap/signed": "a rendering, with a signed URL",
  "/v1/captures": "a rendering, requested as JSON",
  "/v1/usage": "a usage report",
  "/v1/renders": "a submission of a batch",
  "/v1/renders/{id}": "the state of a batch",
  "/v1/documents": "an upload of a document",
  "/v1/documents/{id}": "a document: its state, or its deletion",
  "/mcp": "the Model Context Protocol",
  "/v1/openapi.json": "the API description",
  "/v1/postman.json": "the Postman collection",
  "/api/v1": "any path of the former API",
  "/healthz": "liveness",
  "/readyz": "readiness",
  "/metrics": "these metrics",
  "/": "the start page",
  "/docs": "the reference page",
  "/docs/start.css": "a file of the start page",
  "/docs/init.js": "a file of the reference page",
  "/docs/swagger-ui.css": "a file of the reference page",
  "/docs/swagger-ui-bundle.js": "a file of the reference page",
  unmatched: "any other path",
} as const;

/** A render may wait for a minute and run for 45 s. */
const DURATION_BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export const REQUEST_METRICS = {
  requests: counter({
    name: "snap_http_requests_total",
    help: "Requests by route, status and error code.",
    labels: {
      route: ROUTES,
      status: "the HTTP status, such as `200`",
      code: "an [error code](errors.md); empty on success",
    },
  }),
  durations: histogram(
    {
      name: "snap_request_duration_seconds",
      help: "Time from a request to the end of its response.",
      labels: {
        route: ROUTES,
        status_class: {
          "2xx": "success",
          "3xx": "the caller has the rendering already",
          "4xx": "the request was rejected",
          "5xx": "the service, its browser or the page failed",
        },
      },
    },
    DURATION_BUCKETS_SECONDS,
  ),
};

export function createRequestMetrics(registry: Registry): (request: CountedRequest) => void {
  const requests = REQUEST_METRICS.requests.open(registry);
  const durations = REQUEST_METRICS.durations.open(registry);
  // an increase cannot be computed from a series that begins with the first errors
  for (const route of Object.keys(ROUTES)) requests.inc({ route, status: 500, code: "server_error" }, 0);
  return ({ route, status, code, durationSeconds }) => {
    requests.inc({ route, status, code });
    durations.observe({ route, status_class: `${Math.floor(status / 100)}xx` }, durationSeconds);
  };
}
