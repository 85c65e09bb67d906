import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { commonHeaders } from "../requests/answer.ts";
import { exchangeOf } from "../requests/exchange.ts";

/**
 * Sends an answer that is a web `Response`; its body may be a stream that goes on for a while.
 *
 * @param outcome What the answer is about. It may go on when the client has gone, and is then waited
 * for, so that the log has it.
 */
export async function relay(
  response: ServerResponse,
  answer: Response,
  outcome: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  if (!response.destroyed) {
    // What concerns the connection is between Node and the client (RFC 9110, 7.6.1).
    const { connection: _, ...headers } = Object.fromEntries(answer.headers);
    const caching = { "cache-control": "no-store, no-transform" };
    response.emit("answering");
    response.writeHead(answer.status, { ...commonHeaders(response), ...headers, ...caching });
    if (answer.body === null) response.end();
    // A client that has gone ends the pipeline early: nobody is left to be told.
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
  }
  await outcome();
  exchangeOf(response).status = answer.status;
  response.emit("answered");
}
