import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startLoadGenerator } from "../../src/bench/load-generator.ts";

const generator = startLoadGenerator();
let close = (): void => {};
afterEach(() => close());

async function serve(handle: (request: IncomingMessage, answer: ServerResponse) => void): Promise<number> {
  const server = createServer(handle);
  await once(server.listen(0, "127.0.0.1"), "listening");
  close = () => server.close();
  return (server.address() as AddressInfo).port;
}

describe("load generator", () => {
  it("asks as often as it is told, with the headers in turn, and reads long bodies", async () => {
    const asked: string[] = [];
    const port = await serve((request, answer) => {
      asked.push(`${request.url} ${String(request.headers["x-turn"])}`);
      answer.setHeader("content-length", 300_000).end(Buffer.alloc(300_000));
    });
    const headers = [{ "x-turn": "0" }, { "x-turn": "1" }];
    await generator.run({ port, path: "/p", headers, status: 200, connections: 3, answers: 10 });
    expect(asked.toSorted()).toEqual([...Array(5).fill("/p 0"), ...Array(5).fill("/p 1")]);
  });

  it("takes an answer without a body", async () => {
    let answers = 0;
    const port = await serve((_, answer) => {
      answers += 1;
      answer.writeHead(304).end();
    });
    await generator.run({ port, path: "/", headers: [{}], status: 304, connections: 2, answers: 7 });
    expect(answers).toBe(7);
  });

  it("does not count a refusal as an answer", async () => {
    const port = await serve((_, answer) => answer.writeHead(429).end("slow down"));
    const order = { port, path: "/", headers: [{}], status: 200, connections: 1, answers: 5 };
    await expect(generator.run(order)).rejects.toThrow("429");
  });
});
