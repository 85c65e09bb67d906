import { createServer, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { openPort } from "../../../testing/test/servers/open-port.ts";

/** A webhook receiver on the loopback address that responds with 500 until it is fixed. */
export interface Receiver {
  readonly url: string;
  /** `host:port`, for an allowlist. */
  readonly target: string;
  fix(): void;
  /** Resolves with the first acknowledged delivery. */
  readonly delivered: Promise<Delivery>;
  close(): Promise<void>;
}

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function openReceiver(): Promise<Receiver> {
  const delivered = Promise.withResolvers<Delivery>();
  let isBroken = true;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (isBroken) return response.writeHead(500).end("out of order");
      delivered.resolve({ headers: request.headers, body });
      return response.writeHead(204).end();
    });
  });
  const { port, close } = await openPort(server);
  const target = `127.0.0.1:${port}`;
  return {
    url: `http://${target}/webhooks/snap`,
    target,
    fix() {
      isBroken = false;
    },
    delivered: delivered.promise,
    close,
  };
}
