import { Agent, type ClientRequest, type ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ResponseFrame } from "./response-frame.ts";

/** Chromium opens at most six connections per host, also through a proxy. */
const IDLE_PER_HOST_MAX = 6;
/** A server's `Keep-Alive: timeout` shortens it. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Reuses the upstream connections of one lane, per host and port. It never connects by itself: the
 * request's `createConnection` opens new connections, to checked addresses only.
 */
export class UpstreamAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxFreeSockets: IDLE_PER_HOST_MAX, timeout: IDLE_TIMEOUT_MS });
  }

  override createConnection(
    options: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void,
  ): null {
    options.createConnection?.(options, callback);
    return null;
  }
}

/**
 * Follows the response to `outgoing` and calls `onBytes` as it arrives. The agent may reuse the connection
 * only if it carried that response and nothing else.
 */
export function followResponse(outgoing: ClientRequest, onBytes: (upstream: Socket) => void): ResponseFrame {
  const frame = new ResponseFrame(outgoing.method);
  outgoing.once("response", (response) => (frame.response = response));
  outgoing.once("socket", (upstream) => {
    const read = (chunk: Buffer): void => {
      frame.read(chunk);
      onBytes(upstream);
    };
    upstream.off("data", endIdle).off("end", endIdle);
    upstream.prependListener("data", read);
    // right after this event the agent takes the connection back
    outgoing.once("close", () => {
      upstream.off("data", read);
      if (frame.isExact) upstream.on("data", endIdle).on("end", endIdle);
      else upstream.destroy();
    });
  });
  return frame;
}

/** An idle connection must stay silent (RFC 9112, 6.3). Node 22.19 does not check this. */
function endIdle(this: Duplex): void {
  this.destroy();
}
