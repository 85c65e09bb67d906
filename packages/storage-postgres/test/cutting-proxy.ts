import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Stands between a storage and its server, and loses answers. */
export interface CuttingProxy {
  url(database: string): string;
  /** The answer after the next `skipped` ones doesn't arrive: its connection is cut instead. */
  cutAnswer(skipped: number): void;
  /** As `cutAnswer(0)`; from then on every connection is cut, until `restore`. */
  cutOff(): void;
  restore(): void;
  /** Whether it has come to that. */
  hasCut(): boolean;
  close(): Promise<void>;
}

export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let answersUntilCut = Infinity;
  let staysAway = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (staysAway && answersUntilCut === -1) return client.destroy();
    const upstream = connect(serverPort, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream);
    upstream.on("data", (answer) => {
      if (answersUntilCut === 0 || (staysAway && answersUntilCut === -1)) {
        answersUntilCut = -1;
        client.destroy();
      } else {
        if (answersUntilCut > 0) answersUntilCut -= 1;
        client.write(answer);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (database) => `postgres://snap@127.0.0.1:${port}/${database}`,
    cutAnswer(skipped) {
      answersUntilCut = skipped;
    },
    cutOff() {
      answersUntilCut = 0;
      staysAway = true;
    },
    restore() {
      staysAway = false;
    },
    hasCut: () => answersUntilCut === -1,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
