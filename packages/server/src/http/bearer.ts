import {
  isSnapError,
  type CreditState,
  type Engine,
  type Principal,
  type RateLimitState,
} from "@snap/engine";
import { HEADERS } from "@snap/protocol";
import type { Request, RequestHandler } from "express";
import type { OutgoingHttpHeaders } from "node:http";
import type { Logger } from "pino";
import { send, type Answer } from "../requests/answer.ts";
import { failureAnswer } from "./envelope.ts";
import { credentialOf } from "../requests/credential.ts";
import { exchangeOf, type Exchange } from "../requests/exchange.ts";

/** One endpoint of the bearer API: what it answers to whom. */
export type BearerEndpoint = (asked: {
  readonly request: Request;
  readonly principal: Principal;
  readonly exchange: Exchange;
}) => Promise<Answer>;

export interface BearerDoor {
  readonly engine: Engine;
  readonly logger: Logger;
}

/**
 * The door of the bearer API: finds who is asking and, from there on, puts the account's credits on
 * every answer, refusals and failures included.
 */
export function bearer({ engine, logger }: BearerDoor, answerTo: BearerEndpoint): RequestHandler {
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const principal = await engine.authenticate(credentialOf(request));
    exchange.principal = principal;
    const answer = await answerTo({ request, principal, exchange }).catch((error: unknown) =>
      refuse(exchange, error),
    );
    const credits = await readCredits(request, exchange);
    send(response, { ...answer, headers: { ...answer.headers, ...credits } });
  };

  /** With the rate-limit pair of the budget that refused, if it was one. */
  function refuse(exchange: Exchange, thrown: unknown): Answer {
    const answer = failureAnswer(exchange, thrown);
    return {
      ...answer,
      headers: { ...answer.headers, ...rateLimitHeaders(exchange.error?.rateLimit ?? null) },
    };
  }

  /** A rendering that is paid for goes out even when the balance can't be read. */
  async function readCredits(request: Request, exchange: Exchange): Promise<OutgoingHttpHeaders> {
    try {
      const { account, balance } = await standingOf(request, exchange);
      return creditHeaders(await engine.credits(account, balance));
    } catch (error) {
      logger.error({ request_id: exchange.requestId, err: error }, "could not read the credits");
      return {};
    }
  }

  /**
   * As a capture left them. Otherwise time has passed since they were looked up, and the account may have been
   * granted other credits meanwhile; whose token is gone by now is answered as they were.
   */
  async function standingOf(
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

/** The rate-limit pair; nothing for an answer that was counted against no budget. */
export function rateLimitHeaders(budget: RateLimitState | null): OutgoingHttpHeaders {
  if (budget === null) return {};
  return { [HEADERS.rateLimitLimit]: budget.limit, [HEADERS.rateLimitRemaining]: budget.remaining };
}

/** `X-Credits-*`; the reset is left out for an account without a period (docs/decisions/accounts-and-credits.md). */
function creditHeaders({ limit, remaining, resetsAt }: CreditState): OutgoingHttpHeaders {
  return {
    [HEADERS.creditsLimit]: limit,
    [HEADERS.creditsRemaining]: remaining,
    ...(resetsAt !== null && { [HEADERS.creditsReset]: Math.floor(resetsAt / 1000) }),
  };
}
