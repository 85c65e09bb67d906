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
import type { Metrics } from "../operations/metrics.ts";
import { json, send, type Answer } from "../requests/answer.ts";
import { bearer } from "./bearer.ts";
import { pollBatch, snap, submitBatch, usage } from "./endpoints.ts";
import { failureAnswer } from "./envelope.ts";
import { exchangeOf, openExchange } from "../requests/exchange.ts";
import { SIGNED_PREFLIGHT, signedSnap } from "./signed.ts";
import { healthz, readyz, refuseWhileDraining } from "./health.ts";
import { logExchange } from "../requests/log-exchange.ts";
import { discardBody, hasBody } from "../requests/request-body.ts";

export interface AppOptions {
  readonly engine: Engine;
  /** The origin that clients use, without a trailing slash; `{base_url}` is it plus `/v1`. */
  readonly publicUrl: string;
  readonly logger: Logger;
  /** What `/metrics` exposes for Prometheus: the figures of `createMetrics()`, or none. */
  readonly metrics: Metrics | false;
  /** `operations`: probes and figures alone, as of a process that works through batches; `all` unless given. */
  readonly doors?: "all" | "operations";
  /** While it answers `true`, the service is not ready, and takes work all the same; never unless given. */
  readonly isLeaving?: () => boolean;
  /** While it answers `true`, the service is not ready and takes no new work; never unless given. */
  readonly isDraining?: () => boolean;
}

/** The methods of an endpoint, by the one that it is made for. */
export const ALLOWED_METHODS = { get: "GET, HEAD, OPTIONS", post: "POST, OPTIONS" } as const;

const SUBMISSION_PATH = "/v1/renders";
const MCP_PATH = "/mcp";

/** Where POST carries a body. */
const BODY_PATHS: ReadonlySet<string> = new Set([SUBMISSION_PATH, MCP_PATH, `${MCP_PATH}/`]);

/**
 * The whole HTTP API as an Express application, for those who mount it in a service of their own;
 * `startService` is it with a listener and the bounds of one.
 *
 * @example
 * const app = createApp({ engine, publicUrl: "https://snap.example.com", logger: createLogger("info"), metrics: false });
 * createServer({ maxHeaderSize: 65_536 }, app).listen(3000);
 */
export function createApp(options: AppOptions): Express {
  const { logger, doors = "all", isLeaving = () => false, isDraining = () => false } = options;
  const metrics = options.metrics || null;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.use((request, response, next) => {
    openExchange(response, (done) => {
      metrics?.countRequest({ route: done.route, status: done.status ?? 0, code: done.code ?? "" });
      logExchange(logger, { request, response, exchange: done });
    });
    next();
  });
  app.use(requireHost, withoutBody, refuseWhileDraining(isDraining, ["/v1/", MCP_PATH]));
  if (doors === "all") addApi(app, options);
  addOperations(app, { ...options, isStopping: () => isLeaving() || isDraining() });
  if (doors === "all") addPages(app);
  app.use(notFound, answerError);
  return app;
}

function addApi(app: Express, { engine, publicUrl, logger, ...options }: AppOptions): void {
  const metrics = options.metrics || null;
  const door = { engine, logger };
  addEndpoint(app, { path: "/v1/snap" }, bearer(door, snap({ engine, metrics })));
  addEndpoint(app, { path: "/v1/snap/signed", preflight: SIGNED_PREFLIGHT }, signedSnap({ engine, metrics }));
  addEndpoint(app, { path: "/v1/usage" }, bearer(door, usage(engine)));
  addEndpoint(
    app,
    { method: "post", path: SUBMISSION_PATH },
    bearer(door, submitBatch(engine, { baseUrl: `${publicUrl}/v1` })),
  );
  addEndpoint(
    app,
    // Express would answer an id that can't be decoded itself, without the envelope.
    { path: /^\/v1\/renders\/[^/]+$/, label: "/v1/renders/{id}" },
    bearer(door, pollBatch(engine)),
  );
  // Configurations of assistants often end it in a slash.
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
  addEndpoint(app, { path: "/healthz" }, healthz());
  addEndpoint(app, { path: "/readyz" }, readyz({ engine, logger, isStopping }));
  if (metrics === null) return;
  addEndpoint(app, { path: "/metrics" }, async (_request, response) => {
    const { contentType, body } = await metrics.expose(engine);
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

function addDocument(app: Express, path: string, answer: Answer): void {
  addEndpoint(app, { path }, (_request, response) => send(response, answer));
}

function addEndpoint(
  app: Express,
  { method = "get", path, label = String(path), preflight = {} }: Endpoint,
  handler: RequestHandler,
): void {
  const routed: RequestHandler = (_request, response, next) => {
    exchangeOf(response).route = label;
    next();
  };
  const { allow, refuse } = otherMethods(method, preflight);
  app.route(path).all(routed)[method](handler).options(allow).all(refuse);
}

/** Node would answer this itself, without the envelope (RFC 9112, 3.2). */
const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === "1.1" && request.headers.host === undefined)
    throw new SnapError("bad_request", "Missing Host header; HTTP/1.1 requires one.");
  next();
};

/** It is read once it is known who sends it. */
function carriesBody({ method, path }: Request): boolean {
  return method === "POST" && BODY_PATHS.has(path);
}

/** Not awaited where there is none: nearly always. */
const withoutBody: RequestHandler = (request, _response, next) =>
  carriesBody(request) || !hasBody(request) ? next() : dropBody(request, next);

async function dropBody(request: Request, next: NextFunction): Promise<void> {
  await discardBody(request);
  next();
}

interface Endpoint {
  readonly method?: keyof typeof ALLOWED_METHODS;
  readonly path: string | RegExp;
  /** Stands for the path in figures. */
  readonly label?: string;
  /** What OPTIONS answers besides `Allow`: nothing where pages of other origins have no business. */
  readonly preflight?: OutgoingHttpHeaders;
}

function otherMethods(
  method: keyof typeof ALLOWED_METHODS,
  preflight: OutgoingHttpHeaders,
): Record<"allow" | "refuse", RequestHandler> {
  const Allow = ALLOWED_METHODS[method];
  return {
    allow: (_request, response) => send(response, { status: 204, headers: { Allow, ...preflight } }),
    refuse: (_request, response) => {
      response.setHeader("Allow", Allow);
      const instead = method === "get" ? "GET or HEAD" : "POST";
      throw new SnapError("method_not_allowed", `Method not allowed; use ${instead}.`);
    },
  };
}

/** interface.md, Versioning: not redirected. */
function apiMoved(publicUrl: string): RequestHandler {
  return (_request, response) => {
    exchangeOf(response).route = "/api/v1";
    throw new SnapError(
      "api_moved",
      `The API moved to ${publicUrl}/v1; paths below it, parameters and tokens stay the same.`,
    );
  };
}

const notFound: RequestHandler = () => {
  throw new SnapError("not_found", "Unknown path; see the API reference for the valid ones.");
};

/** Express knows an error handler by its four parameters. */
const answerError: ErrorRequestHandler = async (error: unknown, request, response, _next) => {
  if (carriesBody(request)) await letIn(request, response);
  send(response, failureAnswer(exchangeOf(response), error));
};

/** Without a token, or too late: what it sends is received all the same, or a reset would take the answer. */
async function letIn(request: Request, response: Response): Promise<void> {
  try {
    await discardBody(request);
  } catch {
    response.setHeader("Connection", "close");
  }
}
