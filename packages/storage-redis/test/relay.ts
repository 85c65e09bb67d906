import { connect, createServer } from "node:net";
import { listen } from "../../testing/test/servers/listen.ts";

/** A relay between a cache and Redis, like a name or a virtual address that can point to another server. */
export interface Relay {
  readonly url: string;
  /** Connects new connections to the Redis at this URL. */
  switchTo(url: string): void;
  /** Stops forwarding on each connection that has sent more than this. */
  stallAfter(bytes: number): void;
}

/** Starts a relay for the running test. */
export async function startRelay(target: string): Promise<Relay> {
  let { port } = new URL(target);
  let limitBytes = Infinity;
  const server = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    upstream.on("error", () => upstream.destroy());
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    upstream.pipe(client);
    let sentBytes = 0;
    client.on("data", (data: Buffer) => {
      sentBytes += data.byteLength;
      if (sentBytes <= limitBytes) upstream.write(data);
    });
  });
  return {
    url: `redis://127.0.0.1:${await listen(server)}`,
    switchTo(url) {
      ({ port } = new URL(url));
    },
    stallAfter(bytes) {
      limitBytes = bytes;
    },
  };
}
