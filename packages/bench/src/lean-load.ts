import { connect } from "node:net";
import { startProgram } from "./processes.ts";
import type { RequestHeaders } from "./service.ts";

/** Repeats one request over a few persistent connections, and cycles through the sets of headers. */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: readonly RequestHeaders[];
  readonly status: number;
  readonly connections: number;
  readonly responses: number;
}

/**
 * Sends a load from a separate process, and returns its duration in milliseconds. Reads only the status and length of a
 * response: autocannon takes two to four times the CPU time, which the server then lacks.
 */
export async function sendLoad(load: Load): Promise<number> {
  const program = await startProgram(import.meta.filename, [JSON.stringify(load)]);
  await program.stop();
  if (Number.isNaN(Number(program.line))) throw new Error(program.line);
  return Number(program.line);
}

/** @throws Error if a response has an unexpected status. */
async function send({ port, path, headers, status, connections, responses }: Load): Promise<number> {
  const requests = headers.map((each) => {
    const lines = Object.entries({ host: `127.0.0.1:${port}`, ...each });
    const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return Buffer.from(`GET ${path} HTTP/1.1\r\n${text}\r\n`, "latin1");
  });
  let sent = 0;
  const next = (): Buffer | undefined => (sent < responses ? requests[sent++ % requests.length] : undefined);
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: connections }, () => useConnection(port, status, next)));
  return performance.now() - startedMs;
}

function useConnection(port: number, status: number, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    let head: Buffer = Buffer.alloc(0);
    let bodyBytesLeft = 0;
    const sendNext = (): void => {
      const request = next();
      if (request !== undefined) socket.write(request);
      else resolve(void socket.destroy());
    };
    socket.on("error", reject).on("connect", sendNext);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (data: Buffer) => {
      if (bodyBytesLeft > 0) bodyBytesLeft -= data.length;
      else {
        head = head.length === 0 ? data : Buffer.concat([head, data]);
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) return;
        const text = head.toString("latin1", 0, end);
        if (Number(text.slice(9, 12)) !== status)
          return reject(new Error(`expected status ${status}, got ${text}`));
        const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
        bodyBytesLeft = Number(length) - (head.length - end - 4);
        head = Buffer.alloc(0);
      }
      if (bodyBytesLeft <= 0) sendNext();
    });
  });
}

if (import.meta.main)
  send(JSON.parse(process.argv[2] ?? "") as Load).then(console.log, (error: unknown) => {
    console.log(String(error).split("\n")[0]);
  });
