import type { Capture, Principal, SnapError } from "@snap/engine";
import type { StandingBalance } from "@snap/engine/ports";
import type { ErrorCode } from "@snap/protocol";
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";

/** What is known of one request while it is answered; its log line and its figures are made of it. */
export interface Exchange {
  /** Always our own: what a client sends under that name is not taken over. */
  readonly requestId: string;
  readonly startedAtMs: number;
  /** Path of the route that took the request. */
  route: string;
  principal: Principal | null;
  /** The Model Context Protocol tool that was called. */
  tool: string | null;
  cache: Capture["cache"] | null;
  /** The account's balance as it is to be told; `null` when it has to be read first. */
  balance: StandingBalance | null;
  /** `null` until it is answered. */
  status: number | null;
  /** Of the failure that was answered: as an envelope, or by a tool. */
  code: ErrorCode | null;
  /** For the log: what went wrong, `detail` and cause included. */
  error: SnapError | null;
}

const exchanges = new WeakMap<ServerResponse, Exchange>();

/** Begins the exchange of a response; `onDone` is called once, when it is answered and the response closed. */
export function openExchange(response: ServerResponse, onDone: (exchange: Exchange) => void): Exchange {
  const exchange: Exchange = {
    requestId: randomUUID(),
    startedAtMs: performance.now(),
    route: "unmatched",
    principal: null,
    tool: null,
    cache: null,
    balance: null,
    status: null,
    code: null,
    error: null,
  };
  exchanges.set(response, exchange);
  response.once("close", () => {
    if (exchange.status !== null) onDone(exchange);
    // The client went away: the line is written once the outcome is known.
    else response.once("answered", () => onDone(exchange));
  });
  return exchange;
}

/** The exchange that `openExchange` began for this response. */
export function exchangeOf(response: ServerResponse): Exchange {
  const exchange = exchanges.get(response);
  if (exchange === undefined) throw new Error("the response has no exchange");
  return exchange;
}
