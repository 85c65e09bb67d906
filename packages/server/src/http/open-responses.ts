import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The responses of each connection that are not closed. Pipelined ones wait until the previous ones are sent. */
const openResponses = new WeakMap<Duplex, ServerResponse[]>();

/** Closes a response with its connection, if it is still open: Node 22 closes only the one that it is sending. */
export function trackResponse(response: ServerResponse): void {
  const open = openResponsesOf(response.req.socket);
  // Responses close in the order of their requests. In a tool call, one more `close` listener on
  // each would exceed the number above which Node warns.
  while (open[0]?.closed) open.shift();
  open.push(response);
}

/** Returns the response to the latest request on a connection, if it is still open. */
export function latestResponse(socket: Duplex): ServerResponse | undefined {
  const response = openResponses.get(socket)?.at(-1);
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
