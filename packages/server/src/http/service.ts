import type { Engine } from "@snap/engine";
import { abortable } from "@snap/engine/internals";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { methodNotAllowed } from "./add-endpoint.ts";
import { createApp, type AppOptions } from "./app.ts";
import { limitPieces } from "../requests/limit-pieces.ts";
import { HTTP_LIMITS } from "../requests/limits.ts";
import { createDrain, type Drain } from "./drain.ts";
import { listen } from "./listen.ts";
import { latestResponse } from "./open-responses.ts";
import { hasUnknownMethod, rejectSocket, toProtocolError, type ParserError } from "./reject-socket.ts";
import { toOriginForm } from "../requests/request-target.ts";

export interface ServiceOptions extends Omit<AppOptions, "isStopping" | "isDraining"> {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Already listens on the port; the service takes over its new connections. By default, the service listens. */
  readonly listener?: NetServer | null;
  /** How long a stopping service still accepts requests, so load balancers notice; 0 ms by default. */
  readonly drainDelayMs?: number;
  /** Longest wait for requests in flight when the service stops; 90,000 ms by default. */
  readonly drainTimeoutMs?: number;
  /** How long a client may stop reading its response before the connection is closed; 30,000 ms by default. */
  readonly unreadTimeoutMs?: number;
}

export interface Service {
  /** `http://host:port` that the listener is bound to. */
  readonly origin: string;
  /**
   * Stops the service, but not the engine. `/readyz` fails immediately; new requests to the APIs are rejected after
   * `drainDelayMs`. The listener then closes when the requests in flight and `alongside` finish, or after
   * `drainTimeoutMs` at the latest; renders that could not finish by then are not started. Until it closes, `/healthz`,
   * `/readyz` and `/metrics` respond.
   */
  stop(alongside?: Promise<unknown>): Promise<void>;
}

/**
 * Starts the HTTP service.
 *
 * @throws Error with a message for the operator if it cannot listen on the address.
 * @example
 * const service = await startService({
 *   engine,
 *   host: "127.0.0.1",
 *   port: 3000,
 *   publicUrl: "https://snap.example.com",
 *   logger: createLogger("info"),
 *   metrics: false,
 * });
 * process.once("SIGTERM", () => void service.stop().then(() => engine.close()));
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { host, port, listener = null, logger, unreadTimeoutMs = HTTP_LIMITS.unreadMs } = options;
  const { drainDelayMs = 0, drainTimeoutMs = HTTP_LIMITS.drainMs } = options;
  const drain = createDrain();
  const app = createApp({ ...options, isStopping: () => drain.stopping, isDraining: () => drain.draining });
  const server = createServer(
    {
      maxHeaderSize: HTTP_LIMITS.headerBytes,
      headersTimeout: HTTP_LIMITS.headersMs,
      requestTimeout: HTTP_LIMITS.requestMs,
      keepAliveTimeout: HTTP_LIMITS.keepAliveMs,
      connectionsCheckingInterval: HTTP_LIMITS.connectionCheckMs,
      // Node's own response to a missing Host header has no envelope.
      requireHostHeader: false,
    },
    (request, response) => {
      // Pipelined requests from a client that has disconnected, or after a rejection that closes the connection.
      if (!request.socket.writable) return;
      drain.track(response);
      limitUnread(response, unreadTimeoutMs);
      limitPieces(request, (error) => rejectInOrder(request.socket, { error, logger }));
      const { url = "/" } = request;
      // Express keeps the target as it was received in `originalUrl`.
      app(Object.assign(request, { originalUrl: url, url: toOriginForm(url) }), response);
    },
  );
  // A server may ignore expectations other than 100-continue (RFC 9110, 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  // the responses to requests that arrived completely are sent before the rejection of the next one
  const rejectInOrder = (socket: Duplex, rejection: Parameters<typeof rejectSocket>[1]): void => {
    const response = latestResponse(socket);
    const reject = (): void => rejectSocket(socket, rejection);
    if (response === undefined) reject();
    else response.once("close", reject);
  };
  const rejectMethod = (socket: Duplex): void => {
    const error = methodNotAllowed(["GET", "HEAD"]);
    rejectInOrder(socket, { error, logger, headers: { Allow: "GET, HEAD, OPTIONS" } });
  };
  server.on("connect", (_request, socket) => {
    // Node removes its own listener before it emits `connect`; without one, a reset would end the process.
    socket.on("error", () => {});
    rejectMethod(socket);
  });
  server.on("clientError", (error: ParserError, socket) => {
    if (error.code === "ECONNRESET") socket.destroy();
    else if (hasUnknownMethod(error)) rejectMethod(socket);
    else rejectInOrder(socket, { error: toProtocolError(error), logger });
  });
  if (listener === null) await listen(server, { host, port });
  else await once(server.listen(listener), "listening");
  // such as a connection that could not be accepted; without a listener, it would end the process
  server.on("error", (error) => logger.error({ err: error }, "could not accept a connection"));
  logger.info({ host, port: (server.address() as AddressInfo).port }, "listening");
  let stopped: Promise<void> | null = null;
  return {
    origin: originOf(server.address() as AddressInfo),
    stop: (alongside) =>
      (stopped ??= stop(server, { engine: options.engine, drain, drainDelayMs, drainTimeoutMs, alongside })),
  };
}

async function stop(
  server: Server,
  {
    engine,
    drain,
    drainDelayMs,
    drainTimeoutMs,
    alongside,
  }: {
    engine: Engine;
    drain: Drain;
    drainDelayMs: number;
    drainTimeoutMs: number;
    alongside: Promise<unknown> | undefined;
  },
): Promise<void> {
  drain.announceStop();
  if (drainDelayMs > 0) await wait(drainDelayMs);
  // otherwise, a render that waited long could finish, and be charged, after its connection was cut
  engine.finishWithin(drainTimeoutMs);
  const finished = Promise.allSettled([drain.begin(), alongside]);
  await abortable(AbortSignal.timeout(drainTimeoutMs), finished).catch(() => {});
  const closed = once(server, "close");
  server.close();
  setTimeout(() => server.closeAllConnections(), HTTP_LIMITS.closeMs).unref();
  await closed;
}

/**
 * Limits how long the client may stop reading a response, from when it is sent. A pipelined
 * response gets the connection only after the previous ones, so its timeout starts then. Node sets
 * its own timeout when no response is left.
 */
function limitUnread(response: ServerResponse, timeoutMs: number): void {
  response.once("sending", () => response.socket?.setTimeout(timeoutMs));
  response.once("socket", (socket: Socket) => socket.setTimeout(response.headersSent ? timeoutMs : 0));
}

function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
