import type { Capture, Principal, SnapError } from "@snap/engine";
import type { StandingBalance } from "@snap/engine/ports";
import type { ErrorCode } from "@snap/protocol";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Caller } from "./caller.ts";

/** The state of one request and its response, for the log line, the metrics and the headers. */
export interface Exchange {
  /** Generated here, unless a trusted proxy sends one. */
  readonly requestId: string;
  readonly caller: Caller;
  readonly startedAtMs: number;
  /** Path of the matched route. */
  route: string;
  principal: Principal | null;
  /** Who used the admin API, as in the audit log. */
  operator: string | null;
  /** The Model Context Protocol tool that was called. */
  tool: string | null;
  cache: Capture["cache"] | null;
  /** The account's balance for the response headers; `null` if it has to be read first. */
  balance: StandingBalance | null;
  /** `null` until the response is sent. */
  status: number | null;
  /** Size of the response's body; 0 if it has none. */
  bytes: number;
  /** Code of the error in the envelope or in the tool result. */
  code: ErrorCode | null;
  /** The error for the log, with `detail` and cause. */
  error: SnapError | null;
  /** Frees the memory that the response takes, once it is sent and closed. */
  releaseMemory: () => void;
}

const exchanges = new WeakMap<ServerResponse, Exchange>();

/** Starts the exchange of a response. Calls `onDone` once, when the response is sent and closed. */
export function openExchange(
  response: ServerResponse,
  caller: Caller,
  onDone: (exchange: Exchange) => void,
): Exchange {
  const exchange: Exchange = {
    requestId: caller.requestId ?? randomUUID(),
    caller,
    startedAtMs: performance.now(),
    route: "unmatched",
    principal: null,
    operator: null,
    tool: null,
    cache: null,
    balance: null,
    status: null,
    bytes: 0,
    code: null,
    error: null,
    releaseMemory: () => {},
  };
  const done = (): void => {
    exchange.releaseMemory();
    onDone(exchange);
  };
  exchanges.set(response, exchange);
  response.once("close", () => {
    if (exchange.status !== null) done();
    // The client disconnected: wait for the outcome.
    else response.once("sent", done);
  });
  return exchange;
}

/** Returns the exchange that `openExchange` started for this response. */
export function exchangeOf(response: ServerResponse): Exchange {
  const exchange = exchanges.get(response);
  if (exchange === undefined) throw new Error("the response has no exchange");
  return exchange;
}
