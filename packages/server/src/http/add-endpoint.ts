import { SnapError } from "@snap/engine";
import type { Express, RequestHandler } from "express";
import type { OutgoingHttpHeaders } from "node:http";
import { exchangeOf } from "../requests/exchange.ts";
import { send, type HttpResponse } from "../requests/response.ts";

/** In the order of the `Allow` header. */
const METHODS = ["get", "post", "patch", "delete"] as const;

/** The handlers of a path, by method. GET includes HEAD. */
export type Handlers = Readonly<Partial<Record<(typeof METHODS)[number], RequestHandler>>>;

export interface Endpoint {
  readonly path: string | RegExp;
  /** Replaces the path in metrics. */
  readonly label?: string;
  /** Further headers of the OPTIONS response; none if other origins get no access. */
  readonly preflight?: OutgoingHttpHeaders;
}

/** Serves the methods of a path; the others get 405. */
export function addEndpoint(
  app: Express,
  { path, label = String(path), preflight = {} }: Endpoint,
  handlers: Handlers,
): void {
  const names = allowedMethods(handlers);
  const Allow = [...names, "OPTIONS"].join(", ");
  const route = app.route(path).all((_request, response, next) => {
    exchangeOf(response).route = label;
    next();
  });
  for (const method of METHODS) {
    const handler = handlers[method];
    if (handler !== undefined) route[method](handler);
  }
  const headers = { Allow, "Cache-Control": "no-store", ...preflight };
  route.options((_request, response) => send(response, { status: 204, headers }));
  route.all((_request, response) => {
    response.setHeader("Allow", Allow);
    throw methodNotAllowed(names);
  });
}

/** Serves a fixed response. */
export function addFixedResponse(app: Express, endpoint: Endpoint, fixedResponse: HttpResponse): void {
  addEndpoint(app, endpoint, { get: (_request, response) => send(response, fixedResponse) });
}

function allowedMethods(handlers: Handlers): readonly string[] {
  return METHODS.filter((method) => handlers[method] !== undefined).flatMap((method) =>
    method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
  );
}

/** @param names The methods that are allowed, such as GET and HEAD. */
export function methodNotAllowed(names: readonly string[]): SnapError {
  const last = String(names.at(-1));
  const list = names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
  return new SnapError("method_not_allowed", `Method not allowed; use ${list}.`);
}
