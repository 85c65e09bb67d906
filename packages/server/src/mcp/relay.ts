import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { COMMON_HEADERS } from "../http/answer.ts";
import { exchangeOf } from "../http/exchange.ts";

/** Sends an answer that is a web `Response`; its body may be a stream that goes on for a while. */
export async function relay(response: ServerResponse, answer: Response): Promise<void> {
  exchangeOf(response).status = answer.status;
  if (!response.destroyed) {
    const headers = { "Cache-Control": "no-store", ...COMMON_HEADERS, ...Object.fromEntries(answer.headers) };
    response.writeHead(answer.status, headers);
    if (answer.body === null) response.end();
    // A client that has gone ends the pipeline early: nobody is left to be told.
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
  }
  response.emit("answered");
}
