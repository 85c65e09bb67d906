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
  const ofSocket = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on("connection", (socket) => {
    const open = new Set<ServerResponse>();
    ofSocket.set(socket, open);
    socket.once("close", () =>
      // after Node has closed those that it closes itself
      setImmediate(() => {
        for (const response of open) response.destroy().emit("close");
      }),
    );
  });
  return {
    add(response) {
      const open = ofSocket.get(response.req.socket);
      open?.add(response);
      response.once("close", () => open?.delete(response));
    },
    latest: (socket) => [...(ofSocket.get(socket) ?? [])].at(-1),
  };
}
