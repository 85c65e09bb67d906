import type { Engine, Principal } from "@snap/engine";
import type { Request, RequestHandler } from "express";
import type { OutgoingHttpHeaders } from "node:http";
import type { Logger } from "pino";
import { send, type Answer } from "./answer.ts";
import { budgetHeaders } from "./budget-headers.ts";
import { creditHeaders } from "./credit-headers.ts";
import { failureAnswer } from "./envelope.ts";
import { exchangeOf, type Exchange } from "./exchange.ts";

/** One endpoint of the bearer API: what it answers to whom. */
export type BearerEndpoint = (asked: {
  readonly request: Request;
  readonly principal: Principal;
  readonly exchange: Exchange;
}) => Promise<Answer>;

/**
 * The door of the bearer API: finds who is asking and, from there on, puts the account's credits on
 * every answer, refusals and failures included.
 */
export function bearer(
  { engine, logger }: { readonly engine: Engine; readonly logger: Logger },
  answerTo: BearerEndpoint,
): RequestHandler {
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const principal = await authenticate(engine, request);
    exchange.principal = principal;
    const answer = await answerTo({ request, principal, exchange }).catch((error: unknown) =>
      refuse(exchange, error),
    );
    const credits = await readCredits(principal, exchange);
    send(response, { ...answer, headers: { ...answer.headers, ...credits } });
  };

  /** With the rate-limit pair of the budget that refused, if it was one. */
  function refuse(exchange: Exchange, thrown: unknown): Answer {
    const answer = failureAnswer(exchange, thrown);
    return { ...answer, headers: { ...answer.headers, ...budgetHeaders(exchange.error?.budget ?? null) } };
  }

  /** A rendering that is paid for goes out even when the balance can't be read. */
  async function readCredits(
    { account }: Principal,
    { requestId, balance }: Exchange,
  ): Promise<OutgoingHttpHeaders> {
    try {
      return creditHeaders(await engine.credits(account, balance));
    } catch (error) {
      logger.error({ request_id: requestId, err: error }, "the credits could not be read");
      return {};
    }
  }
}

/**
 * Who a request's bearer token stands for.
 *
 * @throws SnapError `unauthenticated`.
 */
export function authenticate(engine: Engine, { headers }: Request): Promise<Principal> {
  return engine.authenticate(credential(headers.authorization));
}

/** RFC 6750, 2.1; the name of a scheme knows no case (RFC 9110, 11.1). Empty when there is none. */
function credential(header: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";
}
