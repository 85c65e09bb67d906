import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listening {
  /** The host and port, as `127.0.0.1:port`. */
  readonly host: string;
  /** The origin, as `http://127.0.0.1:port`. */
  readonly origin: string;
  close(): void;
}

/** Starts a server on a free loopback port. */
export async function listen(server: Server): Promise<Listening> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
