import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A proxy between a storage and its server that cuts connections. */
export interface CuttingProxy {
  url(database: string): string;
  /** Cuts the connection instead of forwarding the response after the next `skipped` ones. */
  cutResponse(skipped: number): void;
  /** Like `cutResponse(0)`, and then cuts every connection until `restore`. */
  cutOff(): void;
  restore(): void;
  /** Returns whether a connection was cut. */
  hasCut(): boolean;
  close(): Promise<void>;
}

export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let responsesUntilCut = Infinity;
  let isCutOff = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (isCutOff && responsesUntilCut === -1) return client.destroy();
    const upstream = connect(serverPort, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream);
    upstream.on("data", (response) => {
      if (responsesUntilCut === 0 || (isCutOff && responsesUntilCut === -1)) {
        responsesUntilCut = -1;
        client.destroy();
      } else {
        if (responsesUntilCut > 0) responsesUntilCut -= 1;
        client.write(response);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (database) => `postgres://snap@127.0.0.1:${port}/${database}`,
    cutResponse(skipped) {
      responsesUntilCut = skipped;
    },
    cutOff() {
      responsesUntilCut = 0;
      isCutOff = true;
    },
    restore() {
      isCutOff = false;
    },
    hasCut: () => responsesUntilCut === -1,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
