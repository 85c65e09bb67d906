import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { openPort } from "../../testing/test/servers/open-port.ts";
import type { Pacing } from "../src/index.ts";

export const TOKEN = "7|ThisIsTheSecretPartOfATokenForTheseTests01";

export type Responder = (response: ServerResponse, request: IncomingMessage) => void;

export interface RawServer {
  readonly origin: string;
  readonly requests: readonly IncomingMessage[];
  readonly close: () => Promise<void>;
}

/** Opens a server that uses the next responder for each request, and repeats the last one. */
export async function openRawServer(...responders: readonly [Responder, ...Responder[]]): Promise<RawServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const respond = responders[Math.min(requests.length, responders.length - 1)] ?? responders[0];
    requests.push(request);
    respond(response, request);
  });
  const { port, close } = await openPort(server);
  onTestFinished(close);
  return { origin: `http://127.0.0.1:${port}`, requests, close };
}

/** Responds with a rendering. */
export const png: Responder = (response) => {
  response.writeHead(200, {
    "Content-Type": "image/png",
    ETag: '"5f3c"',
    "X-Request-Id": "0d9b5c0e-6a0f-4b0e-9a55-2f6d3b1f7c11",
    "X-Cache": "MISS",
  });
  response.end("an image");
};

export function envelope(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Responder {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(
      JSON.stringify({ code, message: `about ${code}`, request_id: "7d1c0a51-9a38-4d5b-8a38-6f4f3b7c2d10" }),
    );
  };
}

export function html(status: number, text = "<html><h1>Bad Gateway</h1></html>"): Responder {
  return (response) => {
    response.writeHead(status, { "Content-Type": "text/html" });
    response.end(text);
  };
}

export const resetConnection: Responder = (response) => response.socket?.destroy();

/** Returns a `pacing` that records waits instead of waiting. */
export function recordWaits({ nowMs = 0, random = 0.5 } = {}): Pacing & { readonly waitsMs: number[] } {
  const waitsMs: number[] = [];
  return {
    waitsMs,
    now: () => nowMs,
    random: () => random,
    async sleep(durationMs, signal) {
      signal?.throwIfAborted();
      waitsMs.push(durationMs);
    },
  };
}
