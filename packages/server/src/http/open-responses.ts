import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The responses of each connection that are not closed. Pipelined ones wait until the previous ones are sent. */
export interface OpenResponses {
  /** Adds a response until it closes. */
  add(response: ServerResponse): void;
  /** Returns the response to the latest request on a connection, if it is still open. */
  latest(socket: Duplex): ServerResponse | undefined;
}

/** Closes the responses of a closed connection: Node 22 closes only the one that it is sending. */
export function trackResponses(server: Server): OpenResponses {
  const ofSocket = new WeakMap<Duplex, ServerResponse[]>();
  server.on("connection", (socket) => {
    const open: ServerResponse[] = [];
    ofSocket.set(socket, open);
    socket.once("close", () =>
      // after Node has closed those that it closes itself
      setImmediate(() => {
        for (const response of open) if (!response.closed) response.destroy().emit("close");
      }),
    );
  });
  return {
    add(response) {
      const open = ofSocket.get(response.req.socket) ?? [];
      // in the order of the requests; a listener for each would exceed Node's limit in a tool call
      while (open[0]?.closed) open.shift();
      open.push(response);
    },
    latest(socket) {
      const response = ofSocket.get(socket)?.at(-1);
      return response?.closed === false ? response : undefined;
    },
  };
}
