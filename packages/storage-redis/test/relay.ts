import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

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
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    upstream.pipe(client);
    let sentBytes = 0;
    client.on("data", (data: Buffer) => {
      sentBytes += data.byteLength;
      if (sentBytes <= limitBytes) upstream.write(data);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    switchTo(url) {
      ({ port } = new URL(url));
    },
    stallAfter(bytes) {
      limitBytes = bytes;
    },
  };
}
