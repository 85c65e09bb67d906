import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

export interface OpenPort {
  readonly port: number;
  /** Closes the server and its connections. */
  readonly close: () => Promise<void>;
}

/** Starts a server on a free port, by default of the loopback interface. */
export async function openPort(server: Server, host = "127.0.0.1"): Promise<OpenPort> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => {}).once("close", () => sockets.delete(socket)));
  });
  await once(server.listen(0, host), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
