import { connect } from "node:net";

/*
 * Asks one server for one thing over and over, on a few kept connections, with requests that are made
 * beforehand and a reader that looks at the status and the length only. The parent sends a LoadOrder and
 * is answered a LoadResult.
 */

export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  /** Sent in turn, one with each request. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly status: number;
  readonly connections: number;
  readonly answers: number;
}

export interface LoadResult {
  readonly wallMs: number;
  /** What this process spent. */
  readonly ownCpuMs: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");

async function answerAll(order: LoadOrder): Promise<LoadResult> {
  const requests = order.headers.map((headers) => requestText(order, headers));
  let left = order.answers;
  let next = 0;
  const takeRequest = (): Buffer | undefined => {
    left -= 1;
    return left < 0 ? undefined : requests[next++ % requests.length];
  };
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: order.connections }, () => useConnection(order, takeRequest)));
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, ownCpuMs: (user + system) / 1000 };
}

function requestText({ port, path }: LoadOrder, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${text}\r\n`, "latin1");
}

function useConnection({ port, status }: LoadOrder, takeRequest: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let head = Buffer.alloc(0);
    let bodyBytesLeft = 0;
    const ask = (): void => {
      const request = takeRequest();
      if (request === undefined) socket.end(() => resolve());
      else socket.write(request);
    };
    socket.on("connect", ask);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server has closed the connection")));
    socket.on("data", (data) => {
      if (bodyBytesLeft > 0) bodyBytesLeft -= data.length;
      else {
        head = head.length === 0 ? data : Buffer.concat([head, data]);
        const end = head.indexOf(HEAD_END);
        if (end === -1) return;
        const text = head.toString("latin1", 0, end);
        if (text.slice(9, 12) !== String(status))
          return void socket.destroy(new Error(`${head.toString("utf8")} instead of ${status}`));
        const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
        bodyBytesLeft = Number(length) - (head.length - end - HEAD_END.length);
        head = Buffer.alloc(0);
      }
      if (bodyBytesLeft === 0) ask();
    });
  });
}

process.on("message", (order: LoadOrder) => {
  answerAll(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
