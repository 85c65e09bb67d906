import { connect, createServer } from "node:net";
import { openPort } from "../../testing/test/servers/open-port.ts";

/** A proxy between a storage and its server that cuts connections. */
export interface CuttingProxy {
  url(database: string): string;
  /** Forwards the next `skipped` responses, then cuts the connection instead of forwarding another. */
  cutResponse(skipped: number): void;
  /** Like `cutResponse(0)`, and then cuts every connection until `restore`. */
  cutOff(): void;
  restore(): void;
  /** Returns whether a connection was cut since the last `cutResponse` or `cutOff`. */
  hasCut(): boolean;
  close(): Promise<void>;
}

export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  let responsesUntilCut = Infinity;
  let isCutOff = false;
  const server = createServer((client) => {
    if (isCutOff && responsesUntilCut === -1) return client.destroy();
    const upstream = connect(serverPort, "127.0.0.1");
    upstream.on("error", () => upstream.destroy());
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
  });
  const { port, close } = await openPort(server);
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
    close,
  };
}
