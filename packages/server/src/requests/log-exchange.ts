import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorCode } from "@snap/protocol";
import type { Logger } from "pino";
import { printable, shorten } from "../operations/printable.ts";
import type { Exchange } from "./exchange.ts";
import { pathOf } from "./request-target.ts";

/** Caused by the page, the load or a shutdown, or reported by `/readyz`: counted, but not logged as errors. */
const EXPECTED_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "render_failed",
  "render_timeout",
  "upstream_rate_limited",
  "not_ready",
]);

/** The API's longest path has 78 characters, but anyone can send 64 KiB. */
const PATH_CHARACTERS_MAX = 256;

/** Monitors call them every few seconds. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** The console calls it every ten seconds. */
const HEALTH_ROUTE = "/admin/v1/health";

/** Logs one line per request, without the query and most headers, which can contain secrets. */
export function logExchange(
  logger: Logger,
  { request, response, exchange }: { request: IncomingMessage; response: ServerResponse; exchange: Exchange },
): void {
  const { requestId, caller, startedAtMs, principal, operator, tool, cache, status, code, error } = exchange;
  // A tool error is sent with status 200.
  const outcome = error?.status ?? status ?? 0;
  const failed = outcome >= 500 && !(code !== null && EXPECTED_FAILURES.has(code));
  const isConsolePoll = exchange.route === HEALTH_ROUTE && status === 200;
  const usualLevel = isConsolePoll || PROBES.has(exchange.route) ? "debug" : "info";
  logger[failed ? "error" : usualLevel](
    {
      request_id: requestId,
      method: request.method,
      path: printable(shorten(pathOf(request.url ?? ""), PATH_CHARACTERS_MAX)),
      status,
      // with client_gone, the number of bytes that arrived is unknown
      bytes: response.writableFinished ? exchange.bytes : undefined,
      code: code ?? undefined,
      duration_ms: Math.round(performance.now() - startedAtMs),
      account: principal?.account.id,
      token: principal?.token.id,
      operator: operator ?? undefined,
      previous_secret: principal?.usesPrevious,
      client: caller.address,
      user_agent: caller.userAgent ?? undefined,
      trace_id: caller.traceId ?? undefined,
      tool: tool ?? undefined,
      cache: cache ?? undefined,
      detail: error?.detail,
      err: failed ? (error?.cause ?? error) : undefined,
      client_gone: response.writableFinished ? undefined : true,
    },
    "request",
  );
}
