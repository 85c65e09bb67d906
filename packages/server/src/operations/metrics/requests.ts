import type { Registry } from "prom-client";
import { ADMIN_BASE } from "../../admin/route.ts";
import { ADMIN_ROUTES } from "../../admin/routes/all-routes.ts";
import { counter, histogram, registerAll } from "./define.ts";

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
export const ROUTES: Readonly<Record<string, string>> = {
  "/v1/snap": "a rendering, with a token",
  "/v1/snap/signed": "a rendering, with a signed URL",
  "/v1/captures": "a rendering, requested as JSON",
  "/v1/usage": "a usage report",
  "/v1/renders": "a batch submission, or a list of batches",
  "/v1/renders/{id}": "a batch's state",
  "/v1/renders/{id}/deliveries": "the deliveries of a batch's webhook",
  "/v1/documents": "a document upload",
  "/v1/documents/{id}": "a document's state, or its deletion",
  "/mcp": "the Model Context Protocol",
  "/v1/openapi.json": "the API description",
  "/v1/postman.json": "the Postman collection",
  "/api/v1": "any path of the former API",
  "/healthz": "liveness",
  "/readyz": "readiness",
  "/metrics": "these metrics",
  ...Object.fromEntries(ADMIN_ROUTES.map(({ path }) => [path, "the admin API"])),
  [`${ADMIN_BASE}/openapi.json`]: "the admin API's description",
  "/console": "a redirect to the console",
  "/console/": "the console's page",
  "/console/{file}": "a file of the console",
  "/": "the start page",
  "/start/start.css": "a file of the start page",
  "/start/start.js": "a file of the start page",
  "/docs": "the reference page",
  "/docs/init.js": "a file of the reference page",
  "/docs/swagger-ui.css": "a file of the reference page",
  "/docs/swagger-ui-bundle.js": "a file of the reference page",
  unmatched: "any other path",
};

/** A render can wait for a minute and run for 45 s. */
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
          "3xx": "the caller already has the rendering, or the console redirects",
          "4xx": "the request was rejected",
          "5xx": "the service, its browser or the page failed",
        },
      },
    },
    DURATION_BUCKETS_SECONDS,
  ),
};

export function createRequestMetrics(registry: Registry): (request: CountedRequest) => void {
  const { requests, durations } = registerAll(REQUEST_METRICS, registry);
  // an increase cannot be computed from a series that begins with the first errors
  for (const route of Object.keys(ROUTES)) requests.inc({ route, status: 500, code: "server_error" }, 0);
  return ({ route, status, code, durationSeconds }) => {
    requests.inc({ route, status, code });
    durations.observe({ route, status_class: `${Math.floor(status / 100)}xx` }, durationSeconds);
  };
}
