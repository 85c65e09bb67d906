import { SnapError, type Engine } from "@snap/engine";
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import type { Logger } from "pino";
import { mcp } from "../mcp/endpoint.ts";
import { pageAssets } from "../pages/assets.ts";
import { createReference, createStartPage, type DemoAccess } from "../pages/start-page.ts";
import { openApiDocument } from "../openapi/document.ts";
import { postmanCollection } from "../openapi/postman.ts";
import type { Metrics } from "../operations/metrics/create-metrics.ts";
import { json, redirect, send, type HttpResponse } from "../requests/response.ts";
import { ADMIN_BASE } from "../admin/route.ts";
import { addFixedResponse, addEndpoint } from "./add-endpoint.ts";
import { addAdmin, type AdminOptions } from "./admin.ts";
import { getBatch, listBatches, listDeliveries, resendWebhook, submitBatch } from "./batches.ts";
import { bearer, verifiedOnly, type BearerEndpoint } from "./bearer.ts";
import { captureContent, snap, usage } from "./endpoints.ts";
import { deleteDocument, getDocument, uploadDocument } from "./documents.ts";
import { failureResponse } from "./envelope.ts";
import { readCaller, type TrustedProxies } from "../requests/caller.ts";
import { exchangeOf, openExchange } from "../requests/exchange.ts";
import { SendBudget } from "../requests/send-budget.ts";
import { trackResponse } from "./open-responses.ts";
import { SIGNED_PREFLIGHT, signedSnap } from "./signed.ts";
import { healthz, readyz, rejectWhileDraining, createReadinessCheck } from "./health.ts";
import { logExchange } from "../requests/log-exchange.ts";
import { BodyBudget } from "../requests/body-budget.ts";
import { discardBody, hasBody } from "../requests/request-body.ts";

export interface AppOptions {
  readonly engine: Engine;
  /** Origin that clients use, without a trailing slash. The API is under it, at `/v1`. */
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Metrics that `/metrics` exposes, from `createMetrics()`; `false` disables the path. */
  readonly metrics: Metrics | false;
  /** `operations` serves only health checks and metrics, for a batch worker; `all` by default. */
  readonly endpoints?: "all" | "operations";
  /** Largest rendering, as for `createEngine`; 64 MiB by default. */
  readonly maxRenderingBytes?: number;
  /** The admin API and the console; none by default. */
  readonly admin?: AdminOptions | null;
  /** Fills in the forms at `/` and `/docs` for browsers on this machine; `null`, the default, does not. */
  readonly demo?: DemoAccess | null;
  /**
   * The proxies whose `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Request-Id` and `traceparent` are trusted; none by
   * default.
   */
  readonly trustProxy?: TrustedProxies | null;
  /** Returns whether the service reports that it is not ready, but still accepts requests; by default never. */
  readonly isStopping?: () => boolean;
  /** Returns whether the service rejects new requests; by default never. */
  readonly isDraining?: () => boolean;
}

const SUBMISSION_PATH = "/v1/renders";
const CAPTURE_PATH = "/v1/captures";
const UPLOAD_PATH = "/v1/documents";
const MCP_PATH = "/mcp";
const ADMIN_PATH = `${ADMIN_BASE}/`;

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
  const { engine, logger, endpoints = "all", admin = null, isDraining = () => false } = options;
  const isStopping = (): boolean => options.isStopping?.() === true || isDraining();
  const metrics = options.metrics || null;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.set("trust proxy", options.trustProxy ?? false);
  app.use((request, response, next) => {
    // a pipelined request from a client that has disconnected
    if (request.socket.destroyed) return;
    trackResponse(response);
    openExchange(response, readCaller(request), (exchange) => {
      const { route, status, code, startedAtMs } = exchange;
      const durationSeconds = (performance.now() - startedAtMs) / 1000;
      metrics?.countRequest({ route, status: status ?? 0, code: code ?? "", durationSeconds });
      logExchange(logger, { request, response, exchange });
    });
    next();
  });
  app.use(requireHost, discardUnusedBody, rejectWhileDraining(isDraining, ["/v1/", MCP_PATH, ADMIN_PATH]));
  const checkHealth = createReadinessCheck({ engine, logger, isStopping });
  if (endpoints === "all") addApi(app, options);
  addOperations(app, { engine, metrics: options.metrics, checkHealth, isStopping });
  if (endpoints === "all" && admin !== null) addAdmin(app, { ...options, checkHealth }, admin);
  if (endpoints === "all") addPages(app, options);
  app.use(notFound, handleError);
  return app;
}

function addApi(app: Express, { engine, publicUrl, logger, ...options }: AppOptions): void {
  const metrics = options.metrics || null;
  const baseUrl = `${publicUrl}/v1`;
  const sendBudget = new SendBudget(options.maxRenderingBytes);
  const dependencies = { engine, metrics, baseUrl, sendBudget };
  const budget = new BodyBudget();
  const withToken = (endpoint: BearerEndpoint): RequestHandler => bearer({ engine, logger }, endpoint);
  const withVerifiedAccount = (endpoint: BearerEndpoint): RequestHandler => withToken(verifiedOnly(endpoint));
  // the engine itself rejects an unverified email address, and records the failure in the history
  addEndpoint(app, { path: "/v1/snap" }, { get: withToken(snap(dependencies)) });
  addEndpoint(
    app,
    { path: "/v1/snap/signed", preflight: SIGNED_PREFLIGHT },
    { get: signedSnap(dependencies) },
  );
  addEndpoint(
    app,
    { path: CAPTURE_PATH },
    { post: withVerifiedAccount(captureContent(dependencies, budget)) },
  );
  addEndpoint(app, { path: "/v1/usage" }, { get: withToken(usage(engine)) });
  addEndpoint(
    app,
    { path: SUBMISSION_PATH },
    {
      get: withVerifiedAccount(listBatches(engine)),
      post: withVerifiedAccount(submitBatch(engine, { baseUrl })),
    },
  );
  // With a string path, an id that Express cannot decode would fail with `server_error`.
  addEndpoint(
    app,
    { path: /^\/v1\/renders\/[^/]+$/, label: "/v1/renders/{id}" },
    { get: withVerifiedAccount(getBatch(engine)) },
  );
  addEndpoint(
    app,
    { path: /^\/v1\/renders\/[^/]+\/deliveries$/, label: "/v1/renders/{id}/deliveries" },
    { get: withVerifiedAccount(listDeliveries(engine)), post: withVerifiedAccount(resendWebhook(engine)) },
  );
  addEndpoint(
    app,
    { path: UPLOAD_PATH },
    { post: withVerifiedAccount(uploadDocument(engine, { baseUrl, budget })) },
  );
  addEndpoint(
    app,
    { path: /^\/v1\/documents\/[^/]+$/, label: "/v1/documents/{id}" },
    { get: withVerifiedAccount(getDocument(engine)), delete: withVerifiedAccount(deleteDocument(engine)) },
  );
  // AI assistants are often configured with a URL that ends with a slash.
  addEndpoint(
    app,
    { path: /^\/mcp\/?$/, label: MCP_PATH },
    { post: mcp({ ...dependencies, logger, publicUrl }) },
  );
  addFixedResponse(
    app,
    { path: "/v1/openapi.json" },
    json(openApiDocument(publicUrl), { cacheControl: "no-cache" }),
  );
  addFixedResponse(
    app,
    { path: "/v1/postman.json" },
    json(postmanCollection(publicUrl), { cacheControl: "no-cache" }),
  );
  app.use("/api/v1", apiMoved(publicUrl));
}

function addOperations(
  app: Express,
  {
    engine,
    metrics,
    isStopping,
    checkHealth,
  }: Pick<AppOptions, "engine" | "metrics"> &
    Required<Pick<AppOptions, "isStopping">> & { readonly checkHealth: Engine["health"] },
): void {
  addEndpoint(app, { path: "/healthz" }, { get: healthz() });
  addEndpoint(app, { path: "/readyz" }, { get: readyz({ checkHealth, isStopping }) });
  if (!metrics) return;
  const expose: RequestHandler = async (_request, response) => {
    const { contentType, body } = await metrics.expose(engine, checkHealth);
    const headers = { "Content-Type": contentType, "Cache-Control": "no-store" };
    send(response, { status: 200, headers, body });
  };
  addEndpoint(app, { path: "/metrics" }, { get: expose });
}

function addPages(app: Express, { admin, demo = null }: AppOptions): void {
  const startPage = createStartPage({ hasConsole: (admin?.console ?? null) !== null, demo });
  const reference = createReference(demo);
  addEndpoint(
    app,
    { path: "/" },
    { get: (request, response) => send(response, addSlash(request) ?? startPage(request)) },
  );
  addEndpoint(app, { path: "/docs" }, { get: (request, response) => send(response, reference(request)) });
  for (const [path, asset] of pageAssets()) addFixedResponse(app, { path }, asset);
}

/**
 * For an app that is mounted under a prefix, redirects from the prefix without a slash, where the page's relative links
 * would leave the prefix; otherwise returns `null`.
 */
function addSlash({ baseUrl, originalUrl }: Request): HttpResponse | null {
  if (baseUrl === "" || originalUrl.split("?", 1)[0] !== baseUrl) return null;
  return redirect(`${baseUrl.slice(baseUrl.lastIndexOf("/") + 1)}/`);
}

/** RFC 9112, 3.2. Node itself would reject only a missing header, without the envelope. */
const requireHost: RequestHandler = ({ httpVersion, headersDistinct }, _response, next) => {
  const { length } = headersDistinct["host"] ?? [];
  if (length > 1) throw new SnapError("bad_request", "More than one Host header; send one.");
  if (length === 0 && httpVersion === "1.1")
    throw new SnapError("bad_request", "Missing Host header; HTTP/1.1 requires one.");
  next();
};

/** Whether the endpoint itself reads the body: after authentication, or for a sign-in after checking the origin. */
function readsBody({ method, path }: Request): boolean {
  if (path.startsWith(ADMIN_PATH)) return method === "POST" || method === "PATCH";
  return method === "POST" && BODY_PATHS.has(path);
}

/** Synchronous if there is no body, as in nearly every request. */
const discardUnusedBody: RequestHandler = (request, _response, next) =>
  readsBody(request) || !hasBody(request) ? next() : dropBody(request, next);

async function dropBody(request: Request, next: NextFunction): Promise<void> {
  await discardBody(request);
  next();
}

/** An error instead of a redirect, so clients notice and update their base URL. */
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

/** Receives the body of a rejected request: closing early would reset the connection before the response is read. */
async function receiveBody(request: Request, response: Response): Promise<void> {
  try {
    await discardBody(request);
  } catch {
    response.setHeader("Connection", "close");
  }
}
