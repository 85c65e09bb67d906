import { once } from "node:events";
import { createConnection } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Resolver } from "../../src/ports/resolver.ts";
import { openProxiedEgress } from "../../src/puppeteer/proxy/proxy.ts";
import { parseAllowedTargets } from "../../src/targets/policy.ts";
import { Client, openLane, serveHttp, serveTcp } from "./lane.ts";

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
const connectTo = (authority: string): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

describe("refusals", () => {
  const resolver: Resolver = {
    resolve: (hostname) =>
      Promise.resolve(
        { "rebind.example.com": ["8.8.8.8", "127.0.0.1"], "open.example.com": ["127.0.0.1"] }[hostname] ?? [],
      ),
  };

  it.each([
    ["http://127.0.0.1:9999/", "blocked"],
    ["http://127.0.0.1:1/", "blocked"],
    ["http://2130706433:9999/", "blocked"],
    ["http://[::1]:8080/", "blocked"],
    ["http://[::ffff:7f00:1]:9999/", "blocked"],
    ["http://169.254.169.254/latest/", "blocked"],
    ["http://localhost:8080/", "blocked"],
    ["http://example.com:25/", "blocked"],
    ["http://rebind.example.com/", "blocked"],
    ["http://gone.example.com/", "unresolved"],
    ["http://open.example.com:3001/", "unreachable"],
  ] as const)("%s: %s, dropped without a word, in both forms", async (url, refusal) => {
    const { hostname, port } = new URL(url);
    const https = `https://${hostname}:${port || 80}/`;
    for (const [raw, asked] of [
      [get(url), url],
      [connectTo(`${hostname}:${port || 80}`), https],
    ] as const) {
      const lane = await openLane({ entries: "127.0.0.1:3001", resolver });
      expect(lane.refusal(asked)).toBeNull();
      expect(await new Client(lane).send(raw).closes()).toBe("");
      expect(lane.refusal(asked)).toBe(refusal);
      expect(lane.refusal("https://other.example.com/")).toBeNull();
      expect(lane.refusal("no address")).toBeNull();
    }
  });

  it("belong to a host and a port, whatever their spelling", async () => {
    const lane = await openLane({ resolver });
    await new Client(lane).send(get("http://LOCALHOST.:8080/page")).closes();
    expect(lane.refusal("http://localhost:8080/other?q#f")).toBe("blocked");
    expect(lane.refusal("https://LocalHost:8080/")).toBe("blocked");
    expect(lane.refusal("http://localhost/")).toBeNull();
  });

  it("are judged at each connection: one look-up each, whatever an earlier one said", async () => {
    const port = await serveHttp((_request, response) =>
      response.setHeader("Connection", "close").end("page"),
    );
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const lane = await openLane({ resolver: { resolve: () => Promise.resolve(answers.shift() ?? []) } });
    const client = new Client(lane).send(get(`http://rebind.example.com:${port}/`));
    await client.receives("page");
    client.send(get(`http://rebind.example.com:${port}/`));
    await client.closes();
    expect(lane.refusal(`http://rebind.example.com:${port}/`)).toBe("blocked");
    expect(answers).toEqual([]);
  });

  it("are of one lane alone", async () => {
    const lanes = [await openLane(), await openLane()] as const;
    await new Client(lanes[0]).send(get("http://localhost:8080/")).closes();
    expect(lanes.map((lane) => lane.refusal("http://localhost:8080/"))).toEqual(["blocked", null]);
  });

  it("don't come from a client that left while its target was looked up, nor does a connection", async () => {
    let connections = 0;
    const port = await serveTcp((socket) => {
      connections += 1;
      socket.end("HTTP/1.1 200 OK\r\n\r\npage");
    });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<readonly string[]>();
    const lane = await openLane({
      resolver: {
        resolve() {
          asked.resolve();
          return answer.promise;
        },
      },
    });
    const url = `http://slow.example.com:${port}/`;
    new Client(lane).send(get(url));
    await asked.promise;
    await lane.close();
    answer.resolve(["127.0.0.1"]);
    await new Client(await openLane()).send(get(url)).receives("page");
    expect(connections).toBe(1);
    expect(lane.refusal(url)).toBeNull();
  });
});

describe("the bound on bytes", () => {
  const cap = 100_000;

  it("holds for a plain answer and ends the whole lane", async () => {
    const port = await serveHttp((_request, response) => response.end(Buffer.alloc(2 * cap)));
    const lane = await openLane({ maxBytesPerPage: cap });
    const idle = new Client(lane).send(connectTo(`127.0.0.1:${await serveTcp(() => {})}`));
    await idle.receives("Established");
    const client = new Client(lane).send(get(`http://127.0.0.1:${port}/`));
    expect((await client.closes()).length).toBeLessThan(2 * cap);
    await idle.closes();
    expect(lane.overflow.aborted).toBe(true);
    expect(lane.refusal(`http://127.0.0.1:${port}/`)).toBe("too-large");
    expect(await new Client(lane).send(get("http://127.0.0.1:4000/")).closes()).toBe("");
    expect(lane.refusal("http://127.0.0.1:4000/")).toBe("too-large");
  });

  it("holds for a tunnel, both ways together", async () => {
    const port = await serveTcp((socket) => socket.pipe(socket));
    const lane = await openLane({ maxBytesPerPage: cap });
    const client = new Client(lane).send(connectTo(`127.0.0.1:${port}`));
    await client.receives("Established");
    client.send("x".repeat(0.6 * cap));
    if (!lane.overflow.aborted) await once(lane.overflow, "abort");
    expect(lane.refusal(`https://127.0.0.1:${port}/`)).toBe("too-large");
  });

  it("holds for an upload", async () => {
    const port = await serveHttp((request) => void request.resume());
    const lane = await openLane({ maxBytesPerPage: cap });
    const client = new Client(lane).send(
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${3 * cap}\r\n\r\n${"x".repeat(2 * cap)}`,
    );
    expect(await client.closes()).toBe("");
    expect(lane.overflow.aborted).toBe(true);
  });

  it("leaves alone what stays within it", async () => {
    const port = await serveHttp((_request, response) => response.end(Buffer.alloc(cap / 2)));
    const lane = await openLane({ maxBytesPerPage: cap });
    const client = new Client(lane).send(
      get(`http://127.0.0.1:${port}/`).replace("Host", "Connection: close\r\nHost"),
    );
    expect((await client.closes()).length).toBeGreaterThan(cap / 2);
    expect(lane.overflow.aborted).toBe(false);
  });
});

describe("the bound on connections", () => {
  it("counts each that is asked for, the refused ones too", async () => {
    const port = await serveHttp((_request, response) =>
      response.setHeader("Connection", "close").end("page"),
    );
    const lane = await openLane({ maxConnectionsPerPage: 3 });
    await new Client(lane).send(get("http://localhost:8080/")).closes();
    const client = new Client(lane);
    for (const round of [1, 2]) {
      client.send(get(`http://127.0.0.1:${port}/${round}`));
      await client.receives("page", round);
    }
    await client.send(get(`http://127.0.0.1:${port}/3`)).closes();
    expect(lane.refusal(`http://127.0.0.1:${port}/`)).toBe("too-many-connections");
    expect(await new Client(lane).send(connectTo(`127.0.0.1:${port}`)).closes()).toBe("");
  });
});

describe("closing a lane", () => {
  it("ends everything, open, hanging or half looked up, and can be asked for twice", async () => {
    const asked = Promise.withResolvers<void>();
    const lane = await openLane({
      resolver: {
        resolve() {
          asked.resolve();
          return new Promise(() => {});
        },
      },
    });
    const upstream = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => {
      socket.resume();
      socket.once("close", () => upstream.resolve());
      socket.once("end", () => socket.end());
    });
    const clients = [new Client(lane), new Client(lane), new Client(lane)] as const;
    await clients[0].send(connectTo(`127.0.0.1:${port}`)).receives("Established");
    clients[1].send(get("http://slow.example.com/"));
    await asked.promise;
    await Promise.all([lane.close(), lane.close()]);
    await Promise.all([...clients.map((client) => client.closes()), upstream.promise]);
    const late = createConnection({ port: lane.port, host: "127.0.0.1" });
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });
});

describe("whatever a peer sends", () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    fc
      .array(
        fc.constantFrom(
          "GET ",
          "CONNECT ",
          "http://127.0.0.1:PORT/",
          "127.0.0.1:PORT",
          " HTTP/1.1",
          "HTTP/1.1 200 OK",
          "HTTP/1.1 100 Continue",
          "\r\n",
          "\r\n\r\n",
          "Content-Length: 3",
          "Transfer-Encoding: chunked",
          "Connection: upgrade",
          "Upgrade: websocket",
          "3\r\nabc\r\n",
          "\u0000",
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join("")),
  );

  it("a lane ends the connection, forgets it, and serves the next", async () => {
    let answer = "";
    const port = await serveTcp((socket) => {
      if (answer === "reset") socket.resetAndDestroy();
      else socket.end(answer, "latin1");
      socket.resume();
    });
    const lane = await openLane({ maxConnectionsPerPage: Number.MAX_SAFE_INTEGER });
    const talk = async (raw: string): Promise<string> => {
      const client = new Client(lane).send(raw.replaceAll("PORT", String(port)));
      client.socket.end();
      return client.closes();
    };
    await fc.assert(
      fc.asyncProperty(noise, async (raw) => void (await talk(raw))),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, fc.constant("reset")), async (raw) => {
        answer = raw;
        await talk(connectTo("127.0.0.1:PORT"));
        await new Client(lane)
          .send(get(`http://127.0.0.1:${port}/`).replace("Host", "Connection: close\r\nHost"))
          .closes();
      }),
      { numRuns: 150 },
    );
    answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
    const client = new Client(lane).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.receives("fine")).toContain("200 OK");
  });
});

describe("a lane that is open to one browser", () => {
  it("drops everybody else", async () => {
    const port = await serveHttp((_request, response) => response.end("fine"));
    const policy = { allow: parseAllowedTargets("127.0.0.1"), ownHostnames: [] };
    const lane = await openProxiedEgress(
      { resolver: { resolve: () => Promise.resolve([]) }, policy },
      { host: "127.0.0.2", accepts: () => false },
    );
    onTestFinished(() => lane.close());
    expect(lane.proxyServer).toBe(`http://127.0.0.2:${lane.port}`);
    const client = createConnection({ host: "127.0.0.2", port: lane.port });
    client.on("error", () => {});
    let received = "";
    client.setEncoding("latin1").on("data", (text: string) => (received += text));
    client.write(get(`http://127.0.0.1:${port}/`));
    await once(client, "close");
    expect(received).toBe("");
    expect(lane.refusal(`http://127.0.0.1:${port}/`)).toBeNull();
  });
});
