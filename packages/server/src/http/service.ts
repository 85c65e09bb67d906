import { SnapError, type Engine } from "@snap/engine";
import { unless } from "@snap/engine/internals";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Metrics } from "../operations/metrics.ts";
import { ALLOWED_METHODS, createApp } from "./app.ts";
import { HTTP_BOUNDS } from "../requests/bounds.ts";
import { createDrain, type Drain } from "./drain.ts";
import { refuseSocket, toProtocolError } from "./refuse-socket.ts";
import { toOriginForm } from "../requests/request-target.ts";

export interface ServiceOptions {
  readonly engine: Engine;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The origin that clients use, without a trailing slash; `{base_url}` is it plus `/v1`. */
  readonly publicUrl: string;
  readonly logger: Logger;
  /** What `/metrics` exposes for Prometheus: the figures of `createMetrics()`, or none. */
  readonly metrics: Metrics | false;
  /** As of `createApp`: `all` unless given. */
  readonly doors?: "all" | "operations";
  /** For how long it takes requests after it is not ready, so that balancers notice; 0 ms unless given. */
  readonly drainDelayMs?: number;
  /** Longest wait for running requests when it stops; 90,000 ms unless given. */
  readonly drainTimeoutMs?: number;
  /** For how long a client may read nothing of its answer before it is cut off; 30,000 ms unless given. */
  readonly unreadTimeoutMs?: number;
}

export interface Service {
  /** `http://host:port` as really bound. */
  readonly origin: string;
  /**
   * Not ready at once, and after `drainDelayMs` nothing new is taken; running requests finish, and `alongside`
   * with them, for at most `drainTimeoutMs`; then the listener closes. Until then probes and pollers are answered. Does not
   * close the engine.
   */
  stop(alongside?: Promise<unknown>): Promise<void>;
}

/**
 * Listens and answers.
 *
 * @throws Error with a message for the operator when the address can't be listened on.
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
  const { host, port, logger, unreadTimeoutMs = HTTP_BOUNDS.unreadMs } = options;
  const { drainDelayMs = 0, drainTimeoutMs = HTTP_BOUNDS.drainMs } = options;
  const drain = createDrain();
  const app = createApp({ ...options, isLeaving: () => drain.leaving, isDraining: () => drain.draining });
  const current = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: HTTP_BOUNDS.headerBytes,
      headersTimeout: HTTP_BOUNDS.headersMs,
      requestTimeout: HTTP_BOUNDS.requestMs,
      keepAliveTimeout: HTTP_BOUNDS.keepAliveMs,
      connectionsCheckingInterval: HTTP_BOUNDS.connectionCheckMs,
      // Node's own answer to a request without one has no envelope.
      requireHostHeader: false,
    },
    (request, response) => {
      // Requests that came one behind the other, from a client that has gone meanwhile.
      if (request.socket.destroyed) return;
      current.set(request.socket, response);
      drain.track(response);
      // Node goes back to its own time-outs with the end of the answer.
      response.once("answering", () => request.socket.setTimeout(unreadTimeoutMs));
      request.url = toOriginForm(request.url ?? "/");
      app(request, response);
    },
  );
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => {
    const error = new SnapError("method_not_allowed", "Method not allowed; use GET or HEAD.");
    refuseSocket(socket, { error, logger, headers: { Allow: ALLOWED_METHODS.get } });
  });
  server.on("clientError", (error: Error & { code?: string }, socket) => {
    const refuse = (): void => refuseSocket(socket, { error: toProtocolError(error), logger });
    const response = current.get(socket);
    if (error.code === "ECONNRESET") socket.destroy();
    // Garbage behind a request that was complete: that one is answered first.
    else if (response?.req.complete && !response.destroyed) response.once("close", refuse);
    else refuse();
  });
  await listen(server, { host, port });
  logger.info({ host, port: (server.address() as AddressInfo).port }, "listening");
  let stopped: Promise<void> | null = null;
  return {
    origin: originOf(server.address() as AddressInfo),
    stop: (alongside) => (stopped ??= stop(server, { drain, drainDelayMs, drainTimeoutMs, alongside })),
  };
}

async function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  server.listen(address);
  try {
    // Rejects with what an `error` event carries.
    await once(server, "listening");
  } catch (error) {
    const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const reason = taken ? "another program is using it" : String(error);
    throw new Error(`cannot listen on ${address.host} port ${address.port}: ${reason}`, { cause: error });
  }
}

async function stop(
  server: Server,
  {
    drain,
    drainDelayMs,
    drainTimeoutMs,
    alongside,
  }: {
    drain: Drain;
    drainDelayMs: number;
    drainTimeoutMs: number;
    alongside: Promise<unknown> | undefined;
  },
): Promise<void> {
  drain.leave();
  if (drainDelayMs > 0) await wait(drainDelayMs);
  const finished = Promise.allSettled([drain.begin(), alongside]);
  await unless(AbortSignal.timeout(drainTimeoutMs), finished).catch(() => {});
  const closed = once(server, "close");
  server.close();
  setTimeout(() => server.closeAllConnections(), HTTP_BOUNDS.closeMs).unref();
  await closed;
}

function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
