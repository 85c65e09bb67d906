import { SnapError, type Engine } from "@snap/engine";
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import type { OutgoingHttpHeaders } from "node:http";
import type { Logger } from "pino";
import { mcp } from "../mcp/endpoint.ts";
import { docsAssets, docsPage, startPage } from "../docs-page/pages.ts";
import { openApiDocument } from "../openapi/document.ts";
import { postmanCollection } from "../openapi/postman.ts";
import type { Metrics } from "../operations/metrics/create-metrics.ts";
import { json, send, type HttpResponse } from "../requests/response.ts";
import { bearer } from "./bearer.ts";
import { captureContent, getBatch, snap, submitBatch, usage } from "./endpoints.ts";
import { deleteDocument, getDocument, uploadDocument } from "./documents.ts";
import { failureResponse } from "./envelope.ts";
import { readCaller, type TrustedProxies } from "../requests/caller.ts";
import { exchangeOf, openExchange } from "../requests/exchange.ts";
import { SIGNED_PREFLIGHT, signedSnap } from "./signed.ts";
import { healthz, readyz, rejectWhileDraining, shareHealth } from "./health.ts";
import { logExchange } from "../requests/log-exchange.ts";
import { BodyBudget } from "../requests/body-budget.ts";
import { discardBody, hasBody } from "../requests/request-body.ts";

export interface AppOptions {
  readonly engine: Engine;
  /** Origin that clients use, without a trailing slash. The API is below it, at `/v1`. */
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Metrics that `/metrics` exposes, from `createMetrics()`; `false` disables the path. */
  readonly metrics: Metrics | false;
  /** `operations` serves only health checks and metrics, for a batch worker; `all` by default. */
  readonly endpoints?: "all" | "operations";
  /** The proxies whose `X-Forwarded-For`, `X-Request-Id` and `traceparent` are believed; none by default. */
  readonly trustProxy?: TrustedProxies | null;
  /** Returns whether the service reports that it is not ready, but still accepts requests; by default never. */
  readonly isStopping?: () => boolean;
  /** Returns whether the service rejects new requests; by default never. */
  readonly isDraining?: () => boolean;
}

/** `Allow` header of an endpoint, by its main method. */
export const ALLOWED_METHODS = {
  get: "GET, HEAD, OPTIONS",
  post: "POST, OPTIONS",
  getOrDelete: "GET, HEAD, DELETE, OPTIONS",
} as const;

const SUBMISSION_PATH = "/v1/renders";
const CAPTURE_PATH = "/v1/captures";
const UPLOAD_PATH = "/v1/documents";
const MCP_PATH = "/mcp";

/** Paths whose POST requests have a body. */
const BODY_PATHS: ReadonlySet<string> = new Set([
  SUBMISSION_PATH,
  CAPTURE_PATH,
  UPLOAD_PATH,
  MCP_PATH,
  `${MCP_PATH}/`,
]);

/**
 * Creates the whole HTTP API as an Express application, to mount in another service. `startService` adds a
 * listener with limits and timeouts.
 *
 * @example
 * const app = createApp({ engine, publicUrl: "https://snap.example.com", logger: createLogger("info"), metrics: false });
 * createServer({ maxHeaderSize: 65_536 }, app).listen(3000);
 */
export function createApp(options: AppOptions): Express {
  const { logger, endpoints = "all", isStopping = () => false, isDraining = () => false } = options;
  const metrics = options.metrics || null;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.set("trust proxy", options.trustProxy ?? false);
  app.use((request, response, next) => {
    openExchange(response, readCaller(request), (exchange) => {
      const { route, status, code, startedAtMs } = exchange;
      const durationSeconds = (performance.now() - startedAtMs) / 1000;
      metrics?.countRequest({ route, status: status ?? 0, code: code ?? "", durationSeconds });
      logExchange(logger, { request, response, exchange });
    });
    next();
  });
  app.use(requireHost, discardUnusedBody, rejectWhileDraining(isDraining, ["/v1/", MCP_PATH]));
  if (endpoints === "all") addApi(app, options);
  addOperations(app, { ...options, isStopping: () => isStopping() || isDraining() });
  if (endpoints === "all") addPages(app);
  app.use(notFound, handleError);
  return app;
}

function addApi(app: Express, { engine, publicUrl, logger, ...options }: AppOptions): void {
  const metrics = options.metrics || null;
  const parts = { engine, logger };
  addEndpoint(app, { path: "/v1/snap" }, bearer(parts, snap({ engine, metrics })));
  addEndpoint(app, { path: "/v1/snap/signed", preflight: SIGNED_PREFLIGHT }, signedSnap({ engine, metrics }));
  addEndpoint(
    app,
    { method: "post", path: CAPTURE_PATH },
    bearer(parts, captureContent({ engine, metrics }, new BodyBudget())),
  );
  addEndpoint(app, { path: "/v1/usage" }, bearer(parts, usage(engine)));
  addEndpoint(
    app,
    { method: "post", path: SUBMISSION_PATH },
    bearer(parts, submitBatch(engine, { baseUrl: `${publicUrl}/v1` })),
  );
  addEndpoint(
    app,
    // For an id that cannot be decoded, Express would respond itself, without the envelope.
    { path: /^\/v1\/renders\/[^/]+$/, label: "/v1/renders/{id}" },
    bearer(parts, getBatch(engine)),
  );
  addEndpoint(
    app,
    { method: "post", path: UPLOAD_PATH },
    bearer(parts, uploadDocument(engine, { baseUrl: `${publicUrl}/v1` })),
  );
  addEndpoint(
    app,
    {
      path: /^\/v1\/documents\/[^/]+$/,
      label: "/v1/documents/{id}",
      remove: bearer(parts, deleteDocument(engine)),
    },
    bearer(parts, getDocument(engine)),
  );
  // Configured URLs of AI assistants often end with a slash.
  addEndpoint(
    app,
    { method: "post", path: /^\/mcp\/?$/, label: MCP_PATH },
    mcp({ engine, metrics, logger, publicUrl }),
  );
  addDocument(app, "/v1/openapi.json", json(openApiDocument(publicUrl), "no-cache"));
  addDocument(app, "/v1/postman.json", json(postmanCollection(publicUrl), "no-cache"));
  app.use("/api/v1", apiMoved(publicUrl));
}

function addOperations(
  app: Express,
  { engine, logger, isStopping, ...options }: AppOptions & { readonly isStopping: () => boolean },
): void {
  const metrics = options.metrics || null;
  const checkHealth = shareHealth({ engine, logger, isStopping });
  addEndpoint(app, { path: "/healthz" }, healthz());
  addEndpoint(app, { path: "/readyz" }, readyz({ checkHealth, isStopping }));
  if (metrics === null) return;
  addEndpoint(app, { path: "/metrics" }, async (_request, response) => {
    const { contentType, body } = await metrics.expose(engine, checkHealth);
    send(response, {
      status: 200,
      headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
      body,
    });
  });
}

function addPages(app: Express): void {
  addDocument(app, "/", startPage());
  addDocument(app, "/docs", docsPage());
  for (const [path, asset] of docsAssets()) addDocument(app, path, asset);
}

function addDocument(app: Express, path: string, document: HttpResponse): void {
  addEndpoint(app, { path }, (_request, response) => send(response, document));
}

function addEndpoint(
  app: Express,
  { method = "get", path, label = String(path), preflight = {}, remove }: Endpoint,
  handler: RequestHandler,
): void {
  const routed: RequestHandler = (_request, response, next) => {
    exchangeOf(response).route = label;
    next();
  };
  const { allow, reject } = otherMethods(remove === undefined ? method : "getOrDelete", preflight);
  const route = app.route(path).all(routed)[method](handler);
  if (remove !== undefined) route.delete(remove);
  route.options(allow).all(reject);
}

/** RFC 9112, 3.2. Node would respond itself, without the envelope. */
const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === "1.1" && request.headers.host === undefined)
    throw new SnapError("bad_request", "Missing Host header; HTTP/1.1 requires one.");
  next();
};

/** Whether the endpoint reads the body, which it does after authentication. */
function readsBody({ method, path }: Request): boolean {
  return method === "POST" && BODY_PATHS.has(path);
}

/** Synchronous if there is no body, as in nearly every request. */
const discardUnusedBody: RequestHandler = (request, _response, next) =>
  readsBody(request) || !hasBody(request) ? next() : dropBody(request, next);

async function dropBody(request: Request, next: NextFunction): Promise<void> {
  await discardBody(request);
  next();
}

interface Endpoint {
  readonly method?: "get" | "post";
  readonly path: string | RegExp;
  /** Replaces the path in metrics. */
  readonly label?: string;
  /** Handles DELETE, besides GET; none by default. */
  readonly remove?: RequestHandler;
  /** Headers of the OPTIONS response besides `Allow`; none if other origins get no access. */
  readonly preflight?: OutgoingHttpHeaders;
}

function otherMethods(
  method: keyof typeof ALLOWED_METHODS,
  preflight: OutgoingHttpHeaders,
): Record<"allow" | "reject", RequestHandler> {
  const Allow = ALLOWED_METHODS[method];
  return {
    allow: (_request, response) => send(response, { status: 204, headers: { Allow, ...preflight } }),
    reject: (_request, response) => {
      response.setHeader("Allow", Allow);
      const allowed = { get: "GET or HEAD", post: "POST", getOrDelete: "GET, HEAD or DELETE" }[method];
      throw new SnapError("method_not_allowed", `Method not allowed; use ${allowed}.`);
    },
  };
}

/** An error instead of a redirect, so that clients notice and update their base URL. */
function apiMoved(publicUrl: string): RequestHandler {
  return (_request, response) => {
    exchangeOf(response).route = "/api/v1";
    throw new SnapError(
      "api_moved",
      `The API moved to ${publicUrl}/v1; use the same paths, parameters and tokens there.`,
    );
  };
}

const notFound: RequestHandler = () => {
  throw new SnapError("not_found", "Unknown path; see the API reference for the valid ones.");
};

/** Express recognizes an error handler by its four parameters. */
const handleError: ErrorRequestHandler = async (error: unknown, request, response, _next) => {
  if (readsBody(request)) await receiveBody(request, response);
  send(response, failureResponse(exchangeOf(response), error));
};

/** Receives the body of a rejected request: closing early would reset the connection before the client reads. */
async function receiveBody(request: Request, response: Response): Promise<void> {
  try {
    await discardBody(request);
  } catch {
    response.setHeader("Connection", "close");
  }
}
