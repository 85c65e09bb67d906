import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The responses of each connection that are not closed. Pipelined ones wait until the previous ones are sent. */
const openResponses = new WeakMap<Duplex, ServerResponse[]>();

/** Makes sure that a response closes when its connection does: Node 22 closes only the response that it is sending. */
export function trackResponse(response: ServerResponse): void {
  const open = openResponsesOf(response.req.socket);
  // Responses close in the order of their requests. A `close` listener on each would also do, but in
  // a tool call, one more would exceed the number above which Node warns.
  while (open[0]?.closed) open.shift();
  open.push(response);
}

/** Returns the response to the latest request that has arrived completely on a connection, if it is still open. */
export function latestResponse(socket: Duplex): ServerResponse | undefined {
  const response = openResponses.get(socket)?.findLast(({ req }) => req.complete);
  return response?.closed === false ? response : undefined;
}

function openResponsesOf(socket: Duplex): ServerResponse[] {
  const known = openResponses.get(socket);
  if (known !== undefined) return known;
  const open: ServerResponse[] = [];
  openResponses.set(socket, open);
  socket.once("close", () =>
    // after Node has closed those that it closes itself
    setImmediate(() => {
      for (const response of open) if (!response.closed) response.destroy().emit("close");
    }),
  );
  return open;
}
