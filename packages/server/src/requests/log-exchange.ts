import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorCode } from "@snap/protocol";
import type { Logger } from "pino";
import type { Exchange } from "./exchange.ts";
import { pathOf } from "./request-target.ts";

/** Answers of 5xx that a page, a load or a service that stops brings about: counted, but no error to look into. */
const EXPECTED_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "render_failed",
  "render_timeout",
  "upstream_rate_limited",
  "not_ready",
]);

/** One line for each request. Headers and query stay out of it: they hold tokens and signatures. */
export function logExchange(
  logger: Logger,
  { request, response, exchange }: { request: IncomingMessage; response: ServerResponse; exchange: Exchange },
): void {
  const { requestId, startedAtMs, principal, tool, cache, status, code, error } = exchange;
  // A tool's failure goes out with 200.
  const outcome = error?.status ?? status ?? 0;
  const failed = outcome >= 500 && !(code !== null && EXPECTED_FAILURES.has(code));
  logger[failed ? "error" : "info"](
    {
      request_id: requestId,
      method: request.method,
      path: pathOf(request.url ?? ""),
      status,
      code: code ?? undefined,
      duration_ms: Math.round(performance.now() - startedAtMs),
      account: principal?.account.id,
      tool: tool ?? undefined,
      cache: cache ?? undefined,
      detail: error?.detail,
      err: failed ? (error?.cause ?? error) : undefined,
      client_gone: response.writableFinished ? undefined : true,
    },
    "request",
  );
}
