import {
  isSnapError,
  type CreditState,
  type Engine,
  type Principal,
  type RateLimitState,
} from "@snap/engine";
import { requireVerifiedEmail } from "@snap/engine/internals";
import { HEADERS } from "@snap/protocol";
import type { Request, RequestHandler } from "express";
import type { OutgoingHttpHeaders } from "node:http";
import type { Logger } from "pino";
import { send, type HttpResponse } from "../requests/response.ts";
import { failureResponse } from "./envelope.ts";
import { credentialOf } from "../requests/credential.ts";
import { exchangeOf, type Exchange } from "../requests/exchange.ts";

/** An authenticated request. */
export interface BearerCall {
  readonly request: Request;
  readonly principal: Principal;
  readonly exchange: Exchange;
}

/** One endpoint of the bearer API. */
export type BearerEndpoint = (call: BearerCall) => Promise<HttpResponse>;

export interface BearerDependencies {
  readonly engine: Engine;
  readonly logger: Logger;
}

/**
 * Authenticates the bearer token, and adds the account's credits to every response of `endpoint`,
 * errors included.
 */
export function bearer({ engine, logger }: BearerDependencies, endpoint: BearerEndpoint): RequestHandler {
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const principal = await engine.authenticate(credentialOf(request));
    exchange.principal = principal;
    const result = await respond({ request, principal, exchange });
    const credits = await readCredits(request, exchange);
    send(response, { ...result, headers: { ...result.headers, ...credits } });
  };

  async function respond(call: BearerCall): Promise<HttpResponse> {
    try {
      return await endpoint(call);
    } catch (error) {
      return reject(call.exchange, error);
    }
  }

  /** Adds the rate-limit headers if a rate limit rejected the request. */
  function reject(exchange: Exchange, thrown: unknown): HttpResponse {
    const failure = failureResponse(exchange, thrown);
    return {
      ...failure,
      headers: { ...failure.headers, ...rateLimitHeaders(exchange.error?.rateLimit ?? null) },
    };
  }

  /** A charged rendering is sent even if the balance cannot be read. */
  async function readCredits(request: Request, exchange: Exchange): Promise<OutgoingHttpHeaders> {
    try {
      const { account, balance } = await readAccount(request, exchange);
      return creditHeaders(await engine.credits(account, balance));
    } catch (error) {
      logger.error({ request_id: exchange.requestId, err: error }, "could not read the credits");
      return {};
    }
  }

  /**
   * The account and the balance after the request. Most captures return a balance; otherwise both are read again,
   * because they may have changed since. If that fails, the earlier account is used.
   */
  async function readAccount(
    request: Request,
    { principal, balance }: Exchange,
  ): Promise<Pick<Principal, "account" | "balance">> {
    if (principal !== null && balance !== null) return { account: principal.account, balance };
    return engine.authenticate(credentialOf(request)).catch((error: unknown) => {
      if (principal === null || !isSnapError(error)) throw error;
      return { account: principal.account, balance: null };
    });
  }
}

/** Before `endpoint` checks or reads anything, rejects an account whose email address is not verified. */
export function verifiedOnly(endpoint: BearerEndpoint): BearerEndpoint {
  return async (call) => {
    requireVerifiedEmail(call.principal.account);
    return endpoint(call);
  };
}

/** The rate-limit headers; none for a response that counts against no limit. */
export function rateLimitHeaders(rateLimit: RateLimitState | null): OutgoingHttpHeaders {
  if (rateLimit === null) return {};
  return { [HEADERS.rateLimitLimit]: rateLimit.limit, [HEADERS.rateLimitRemaining]: rateLimit.remaining };
}

/** `X-Credits-*`; an account without a period has no reset. */
function creditHeaders({ limit, remaining, resetsAt }: CreditState): OutgoingHttpHeaders {
  return {
    [HEADERS.creditsLimit]: limit,
    [HEADERS.creditsRemaining]: remaining,
    ...(resetsAt !== null && { [HEADERS.creditsReset]: resetsAt / 1000 }),
  };
}
