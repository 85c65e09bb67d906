import { once } from "node:events";
import { createConnection } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Resolver } from "../../src/ports/resolver.ts";
import { openProxiedEgress } from "../../src/puppeteer/proxy/proxy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { Client, openProxy, serveHttp, serveTcp } from "./egress-proxy.ts";

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
const connectRequest = (authority: string): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

describe("failures", () => {
  const resolver: Resolver = {
    resolve: (hostname) =>
      Promise.resolve(
        { "mixed.example.com": ["8.8.8.8", "127.0.0.1"], "open.example.com": ["127.0.0.1"] }[hostname] ?? [],
      ).then((addresses) => {
        if (hostname === "failing.example.com") throw new Error("query failed");
        return addresses;
      }),
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
    ["http://mixed.example.com/", "blocked"],
    ["http://gone.example.com/", "unresolved"],
    ["http://failing.example.com/", "resolver-failed"],
    ["http://open.example.com:CLOSED/", "unreachable"],
  ] as const)(
    "are recorded: %s is %s, and a request or tunnel to it is dropped without a response",
    async (pattern, failure) => {
      const closedPort = await findFreePort();
      const url = pattern.replace("CLOSED", String(closedPort));
      const { hostname, port } = new URL(url);
      const https = `https://${hostname}:${port || 80}/`;
      for (const [raw, requested] of [
        [get(url), url],
        [connectRequest(`${hostname}:${port || 80}`), https],
      ] as const) {
        const proxy = await openProxy({ entries: `127.0.0.1:${closedPort}`, resolver });
        expect(proxy.failure(requested)).toBeNull();
        expect(await new Client(proxy).send(raw).waitForClose()).toBe("");
        expect(proxy.failure(requested)).toBe(failure);
        expect(proxy.failure("https://other.example.com/")).toBeNull();
        expect(proxy.failure("not a URL")).toBeNull();
      }
    },
  );

  it("apply to a host and port, regardless of scheme, path, case and a trailing dot", async () => {
    const proxy = await openProxy({ resolver });
    await new Client(proxy).send(get("http://LOCALHOST.:8080/page")).waitForClose();
    expect(proxy.failure("http://localhost:8080/other?q#f")).toBe("blocked");
    expect(proxy.failure("https://LocalHost:8080/")).toBe("blocked");
    expect(proxy.failure("http://localhost/")).toBeNull();
  });

  it("are determined for each connection, although the name is looked up only once", async () => {
    const port = await serveHttp((_request, response) =>
      response.setHeader("Connection", "close").end("page"),
    );
    const blockedPort = await serveHttp((_request, response) => response.end("secret"));
    const lookups = [["127.0.0.1"], ["127.0.0.2"]];
    const proxy = await openProxy({
      entries: `127.0.0.1:${port}`,
      resolver: { resolve: () => Promise.resolve(lookups.shift() ?? []) },
    });
    const client = new Client(proxy);
    for (const round of [1, 2]) {
      client.send(get(`http://rebind.example.com:${port}/`));
      await client.waitForText("page", round);
    }
    expect(await client.send(get(`http://rebind.example.com:${blockedPort}/`)).waitForClose()).not.toContain(
      "secret",
    );
    expect(proxy.failure(`http://rebind.example.com:${blockedPort}/`)).toBe("blocked");
    expect(lookups).toEqual([["127.0.0.2"]]);
  });

  it("have a detail that states the cause, except for blocked targets", async () => {
    const port = await findFreePort();
    const proxy = await openProxy({ entries: `127.0.0.1:${port}`, resolver });
    for (const [url, detail] of [
      [`http://open.example.com:${port}/`, `connect ECONNREFUSED 127.0.0.1:${port}`],
      ["http://gone.example.com/", "gone.example.com has no address"],
      ["http://failing.example.com/", "query failed"],
      ["http://localhost:8080/", null],
    ] as const) {
      await new Client(proxy).send(get(url)).waitForClose();
      expect(proxy.failureDetail(url)).toBe(detail);
    }
  });

  it("are separate for each proxy", async () => {
    const proxies = [await openProxy(), await openProxy()] as const;
    await new Client(proxies[0]).send(get("http://localhost:8080/")).waitForClose();
    expect(proxies.map((proxy) => proxy.failure("http://localhost:8080/"))).toEqual(["blocked", null]);
  });

  it.each([
    ["GET", "destroy"],
    ["CONNECT", "destroy"],
    ["CONNECT", "end"],
  ] as const)(
    "are not recorded, and no connection is made, if the client of a %s disconnects during the lookup: %s",
    async (method, leave) => {
      let connections = 0;
      const port = await serveTcp((socket) => {
        connections += 1;
        socket.end("HTTP/1.1 200 OK\r\n\r\npage");
      });
      const started = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<void>();
      const addresses = Promise.withResolvers<readonly string[]>();
      const proxy = await openProxy({
        resolver: {
          resolve(_hostname, options) {
            options?.signal?.addEventListener("abort", () => aborted.resolve());
            started.resolve();
            return addresses.promise;
          },
        },
      });
      const url = `http://slow.example.com:${port}/`;
      const request = method === "GET" ? get(url) : connectRequest(`slow.example.com:${port}`);
      const client = new Client(proxy).send(request);
      await started.promise;
      client.socket[leave]();
      await aborted.promise;
      addresses.resolve(["127.0.0.1"]);
      await new Client(await openProxy()).send(get(url)).waitForText("page");
      expect(connections).toBe(1);
      expect(proxy.failure(url)).toBeNull();
    },
  );
});

describe("the byte limit", () => {
  const cap = 100_000;

  it("applies to a plain response and closes the proxy's connections", async () => {
    const port = await serveHttp((_request, response) => response.end(Buffer.alloc(2 * cap)));
    const proxy = await openProxy({ maxBytesPerPage: cap });
    const idle = new Client(proxy).send(connectRequest(`127.0.0.1:${await serveTcp(() => {})}`));
    await idle.waitForText("Established");
    const client = new Client(proxy).send(get(`http://127.0.0.1:${port}/`));
    expect((await client.waitForClose()).length).toBeLessThan(2 * cap);
    await idle.waitForClose();
    expect(proxy.overflow.aborted).toBe(true);
    expect(proxy.failure(`http://127.0.0.1:${port}/`)).toBe("too-large");
    expect(await new Client(proxy).send(get("http://127.0.0.1:4000/")).waitForClose()).toBe("");
    expect(proxy.failure("http://127.0.0.1:4000/")).toBe("too-large");
  });

  it("applies to both directions of a tunnel together", async () => {
    const port = await serveTcp((socket) => socket.pipe(socket));
    const proxy = await openProxy({ maxBytesPerPage: cap });
    const client = new Client(proxy).send(connectRequest(`127.0.0.1:${port}`));
    await client.waitForText("Established");
    client.send("x".repeat(0.6 * cap));
    if (!proxy.overflow.aborted) await once(proxy.overflow, "abort");
    expect(proxy.failure(`https://127.0.0.1:${port}/`)).toBe("too-large");
  });

  it("counts each small piece of a response as 512 bytes", async () => {
    const served = async (chunks: number): Promise<string> => {
      const port = await serveTcp((socket) => {
        socket.once("data", () => {
          const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
          socket.end(`${head}${"1\r\na\r\n".repeat(chunks)}0\r\n\r\n`);
        });
      });
      const proxy = await openProxy({ maxBytesPerPage: cap });
      const url = `http://127.0.0.1:${port}/`;
      await new Client(proxy)
        .send(get(url).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
        .waitForClose();
      return `${proxy.failure(url)}`;
    };
    expect(await served(180)).toBe("null");
    expect(await served(200)).toBe("too-large");
  });

  it("counts each small piece in a tunnel as 512 bytes", async () => {
    const port = await serveTcp((socket) => socket.pipe(socket));
    const echoed = async (turns: number): Promise<string> => {
      const proxy = await openProxy({ maxBytesPerPage: cap });
      const client = new Client(proxy).send(connectRequest(`127.0.0.1:${port}`));
      await client.waitForText("Established");
      for (let turn = 1; turn <= turns && !proxy.overflow.aborted; turn += 1)
        await client
          .send("~")
          .waitForText("~", turn)
          .catch(() => {});
      return `${proxy.failure(`https://127.0.0.1:${port}/`)}`;
    };
    expect(await echoed(90)).toBe("null");
    expect(await echoed(100)).toBe("too-large");
  });

  it("applies to an upload", async () => {
    const port = await serveHttp((request) => void request.resume());
    const proxy = await openProxy({ maxBytesPerPage: cap });
    const client = new Client(proxy).send(
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${3 * cap}\r\n\r\n${"x".repeat(2 * cap)}`,
    );
    expect(await client.waitForClose()).toBe("");
    expect(proxy.overflow.aborted).toBe(true);
  });

  it("does not affect pages below it", async () => {
    const port = await serveHttp((_request, response) => response.end(Buffer.alloc(cap / 2)));
    const proxy = await openProxy({ maxBytesPerPage: cap });
    const client = new Client(proxy).send(
      get(`http://127.0.0.1:${port}/`).replace("Host", "Connection: close\r\nHost"),
    );
    expect((await client.waitForClose()).length).toBeGreaterThan(cap / 2);
    expect(proxy.overflow.aborted).toBe(false);
  });
});

describe("the connection limit", () => {
  it("counts every attempted connection, including rejected ones", async () => {
    const port = await serveHttp((_request, response) =>
      response.setHeader("Connection", "close").end("page"),
    );
    const proxy = await openProxy({ maxConnectionsPerPage: 3 });
    await new Client(proxy).send(get("http://localhost:8080/")).waitForClose();
    const client = new Client(proxy);
    for (const round of [1, 2]) {
      client.send(get(`http://127.0.0.1:${port}/${round}`));
      await client.waitForText("page", round);
    }
    await client.send(get(`http://127.0.0.1:${port}/3`)).waitForClose();
    expect(proxy.failure(`http://127.0.0.1:${port}/`)).toBe("too-many-connections");
    expect(await new Client(proxy).send(connectRequest(`127.0.0.1:${port}`)).waitForClose()).toBe("");
  });
});

describe("the limits on names", () => {
  it("count each name only once, and do not count addresses", async () => {
    const port = await serveHttp((_request, response) =>
      response.setHeader("Connection", "close").end("page"),
    );
    const proxy = await openProxy();
    const client = new Client(proxy);
    const names = Array.from({ length: 200 }, (_, index) => `n${index}.example.com`);
    for (const [index, hostname] of [...names, "n0.example.com", "127.0.0.1"].entries()) {
      client.send(get(`http://${hostname}:${port}/`));
      await client.waitForText("page", index + 1);
    }
    await client.send(get(`http://n200.example.com:${port}/`)).waitForClose();
    expect(proxy.failure(`http://n200.example.com:${port}/`)).toBe("too-many-names");
  });

  it("allow eight lookups at a time, and do not delay requests to names that are already resolved", async () => {
    const port = await serveHttp((_request, response) =>
      response.setHeader("Connection", "close").end("page"),
    );
    const lookups: string[] = [];
    const finish = new Map<string, (addresses: readonly string[]) => void>();
    const eighthSilent = Promise.withResolvers<void>();
    const ninthSilent = Promise.withResolvers<void>();
    const proxy = await openProxy({
      resolver: {
        resolve(hostname) {
          lookups.push(hostname);
          if (hostname === "known.example.com") return Promise.resolve(["127.0.0.1"]);
          if (lookups.length === 9) eighthSilent.resolve();
          if (lookups.length === 10) ninthSilent.resolve();
          return new Promise((resolve) => void finish.set(hostname, resolve));
        },
      },
    });
    const known = get(`http://known.example.com:${port}/`);
    await new Client(proxy).send(known).waitForText("page");
    for (let index = 0; index < 12; index += 1)
      new Client(proxy).send(get(`http://silent-${index}.example.com:${port}/`));
    await eighthSilent.promise;
    await new Client(proxy).send(known).waitForText("page");
    expect(lookups).toHaveLength(9);
    finish.get(lookups[1] ?? "")?.([]);
    await ninthSilent.promise;
    expect(lookups).toHaveLength(10);
  });
});

describe("close", () => {
  it("closes tunnels, connections that wait for a lookup and idle ones, and can be called twice", async () => {
    const started = Promise.withResolvers<AbortSignal | undefined>();
    const proxy = await openProxy({
      resolver: {
        resolve(_hostname, options) {
          started.resolve(options?.signal);
          return new Promise(() => {});
        },
      },
    });
    const upstreamClosed = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => {
      socket.resume();
      socket.once("close", () => upstreamClosed.resolve());
      socket.once("end", () => socket.end());
    });
    const clients = [new Client(proxy), new Client(proxy), new Client(proxy)] as const;
    await once(clients[2].socket, "connect");
    await clients[0].send(connectRequest(`127.0.0.1:${port}`)).waitForText("Established");
    clients[1].send(get("http://slow.example.com/"));
    const lookup = await started.promise;
    await Promise.all([proxy.close(), proxy.close()]);
    expect(lookup?.aborted).toBe(true);
    await Promise.all([...clients.map((client) => client.waitForClose()), upstreamClosed.promise]);
    const late = createConnection({ port: proxy.port, host: "127.0.0.1" });
    const [error] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });
});

describe("arbitrary data from a peer", () => {
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

  it("neither keeps a connection open nor stops the proxy from serving the next client", async () => {
    let reply = "";
    const port = await serveTcp((socket) => {
      if (reply === "reset") socket.resetAndDestroy();
      else socket.end(reply, "latin1");
      socket.resume();
    });
    const proxy = await openProxy({ maxConnectionsPerPage: Number.MAX_SAFE_INTEGER });
    const talk = async (raw: string): Promise<string> => {
      const client = new Client(proxy).send(raw.replaceAll("PORT", String(port)));
      client.socket.end();
      return client.waitForClose();
    };
    await fc.assert(
      fc.asyncProperty(noise, async (raw) => void (await talk(raw))),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, fc.constant("reset")), async (raw) => {
        reply = raw;
        await talk(connectRequest("127.0.0.1:PORT"));
        await new Client(proxy)
          .send(get(`http://127.0.0.1:${port}/`).replace("Host", "Connection: close\r\nHost"))
          .waitForClose();
      }),
      { numRuns: 150 },
    );
    reply = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
    const client = new Client(proxy).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.waitForText("fine")).toContain("200 OK");
  });
});

describe("a proxy for one browser", () => {
  it("serves that browser and drops other clients", async () => {
    const port = await serveHttp((_request, response) => response.end("fine"));
    const url = `http://127.0.0.1:${port}/`;
    const policy = { allow: parseTargetList("127.0.0.1"), ownHostnames: [] };
    const proxy = await openProxiedEgress(
      { resolver: { resolve: () => Promise.resolve([]) }, policy },
      { host: "127.0.0.2", accepts: ({ remoteAddress }) => remoteAddress === "127.0.0.3" },
    );
    onTestFinished(() => proxy.close());
    expect(proxy.proxyServer).toBe(`http://127.0.0.2:${proxy.port}`);
    const receivedFrom = async (localAddress: string): Promise<string> => {
      const client = createConnection({ host: "127.0.0.2", port: proxy.port, localAddress });
      client.on("error", () => {});
      let received = "";
      client.setEncoding("latin1").on("data", (text: string) => (received += text));
      client.write(get(url).replace("Host", "Connection: close\r\nHost"));
      await once(client, "close");
      return received;
    };
    expect(await receivedFrom("127.0.0.3")).toContain("fine");
    expect(await receivedFrom("127.0.0.4")).toBe("");
    expect(proxy.failure(url)).toBeNull();
  });
});
