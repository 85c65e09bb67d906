import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../testing/test/servers/listen.ts";
import { sendLoad } from "../src/lean-load.ts";
import { startRelay } from "../src/site/relay.ts";

/** Opens a relay to a server that echoes its input and closes when the client does. */
async function openRelay(roundTripMs: number): Promise<number> {
  const server = createServer((socket) => socket.pipe(socket));
  return startRelay({ host: "127.0.0.1", targetPort: await listen(server), roundTripMs });
}

describe("the relay", () => {
  it("delays the first response by two round trips, and later ones by one", async () => {
    const socket = connect(await openRelay(40), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const startedMs = performance.now();
    socket.write("a");
    await once(socket, "data");
    const firstMs = performance.now() - startedMs;
    socket.write("b");
    await once(socket, "data");
    const secondMs = performance.now() - startedMs - firstMs;

    // Timers can fire a millisecond early, and arbitrarily late.
    expect(firstMs).toBeGreaterThanOrEqual(78);
    expect(secondMs).toBeGreaterThanOrEqual(38);
  });

  it.each([0, 6])("forwards everything in order, with a round trip of %d ms", async (roundTripMs) => {
    const socket = connect(await openRelay(roundTripMs), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}\n`);
    for (const line of lines) socket.write(line);
    socket.end();
    let text = "";
    for await (const chunk of socket.setEncoding("utf8")) text += String(chunk);
    expect(text).toBe(lines.join(""));
  });
});

const serve = (handle: RequestListener): Promise<number> => listen(createHttpServer(handle));

describe("sendLoad", () => {
  it("sends the given number of requests, cycles through the headers, and reads long bodies", async () => {
    const received: string[] = [];
    const port = await serve((request, response) => {
      received.push(`${request.url} ${String(request.headers["x-turn"])}`);
      response.setHeader("content-length", 300_000).end(Buffer.alloc(300_000));
    });
    const headers = [{ "x-turn": "0" }, { "x-turn": "1" }];
    await sendLoad({ port, path: "/p", headers, status: 200, connections: 3, responses: 10 });
    expect(received.toSorted()).toEqual([...Array(5).fill("/p 0"), ...Array(5).fill("/p 1")]);
  });

  it("accepts responses without a body", async () => {
    let responses = 0;
    const port = await serve((_, response) => {
      responses += 1;
      response.writeHead(304).end();
    });
    await sendLoad({ port, path: "/", headers: [{}], status: 304, connections: 2, responses: 7 });
    expect(responses).toBe(7);
  });

  it("fails on an unexpected status", async () => {
    const port = await serve((_, response) => response.writeHead(429).end("slow down"));
    const load = { port, path: "/", headers: [{}], status: 200, connections: 1, responses: 5 };
    await expect(sendLoad(load)).rejects.toThrow("429");
  });
});
