import type { Server } from "node:http";
import { openPort } from "../../../testing/test/servers/open-port.ts";

export interface ListeningServer {
  /** The host and port, as `127.0.0.1:port`. */
  readonly host: string;
  /** The origin, as `http://127.0.0.1:port`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. */
export async function listen(server: Server): Promise<ListeningServer> {
  const { port, close } = await openPort(server);
  const host = `127.0.0.1:${port}`;
  return { host, origin: `http://${host}`, close };
}
