import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Client, openProxy } from "./egress-proxy.ts";
import {
  requestText,
  closed,
  connectionOf,
  OK_RESPONSE,
  get,
  serveFirst,
  serveRequests,
} from "./upstream.ts";

describe("a connection is reused after a response", () => {
  it.each([
    ["with a length", "GET", ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"]],
    ["in pieces", "GET", ["HTTP/1.1 200 OK\r\nContent-Len", "gth: 3\r\n\r", "\n", "o", "ne"]],
    ["without a body", "GET", ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]],
    [
      "in chunks",
      "GET",
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0", "\r\n", "\r\n"],
    ],
    ["with status 204", "GET", ["HTTP/1.1 204 No Content\r\n\r\n"]],
    ["with status 304 and a length", "GET", ["HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"]],
    ["to HEAD", "HEAD", ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"]],
    ["to OPTIONS", "OPTIONS", ["HTTP/1.1 200 OK\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n"]],
    [
      "of HTTP/1.0 with keep-alive",
      "GET",
      ["HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\none"],
    ],
    [
      "in chunks, after an interim one",
      "GET",
      [
        "HTTP/1.1 103 Early Hints\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n",
      ],
    ],
  ])("%s", async (_form, method, raw) => {
    const upstream = await serveFirst(...raw);
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openProxy()).send(requestText(method, url));
    const end = raw.join("").includes("chunked")
      ? "0\r\n\r\n"
      : raw.join("").endsWith("one")
        ? "one"
        : "\r\n\r\n";
    await client.waitForText(end);
    expect(await client.send(get(url)).waitForText("fine")).toContain(
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n",
    );
    expect(upstream.heads.map((heads) => heads.length)).toEqual([2]);
  });
});

describe("a connection is closed after a response", () => {
  const SIZED = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none";
  const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n";

  it.each([
    ["with Connection: close", "GET", SIZED.replace("\r\n", "\r\nConnection: close\r\n")],
    ["of HTTP/1.0", "GET", SIZED.replace("1.1", "1.0")],
    ["with Keep-Alive: timeout=1", "GET", SIZED.replace("\r\n", "\r\nKeep-Alive: timeout=1\r\n")],
    ["with a length, after an interim one", "GET", `HTTP/1.1 103 Early Hints\r\n\r\n${SIZED}`],
    ["followed by a second response", "GET", SIZED + OK_RESPONSE],
    ["followed by the start of a second response", "GET", `${SIZED}HTTP/1.1 200 OK\r\nContent-Le`],
    ["followed by one byte", "GET", `${SIZED}H`],
    ["followed by an empty line", "GET", `${SIZED}\r\n`],
    ["followed by garbage", "GET", `${SIZED}noise`],
    ["in chunks, followed by the start of a second response", "GET", `${CHUNKED}HTTP/1.1 200 OK\r\nX: 0\r\n`],
    ["in chunks, followed by a second response", "GET", `${CHUNKED}HTTP/1.1 200 OK\r\nX: 0\r\n\r\n`],
    ["in chunks, followed by an empty line", "GET", `${CHUNKED}\r\n`],
    ["to HEAD, with a body", "HEAD", SIZED],
    ["to HEAD, followed by the start of a response", "HEAD", `${SIZED.slice(0, -3)}HTTP/1.1 200`],
    ["with status 204 and a body", "GET", `HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\none`],
    [
      "with status 304, followed by the start of a response",
      "GET",
      "HTTP/1.1 304 Not Modified\r\n\r\nHTTP/1.1 200",
    ],
  ])("%s", async (_form, method, raw) => {
    const upstream = await serveFirst(raw);
    const url = `http://127.0.0.1:${upstream.port}/`;
    const proxy = await openProxy();
    const client = new Client(proxy).send(requestText(method, url));
    await client.waitForText("\r\n\r\n");
    await closed(connectionOf(upstream, 1));
    expect(client.received).toContain(raw.includes("chunked") ? "\r\none\r\n" : "\r\n\r\n");
    expect(client.received).not.toContain("fine");
    await new Client(proxy).send(get(url)).waitForText("fine");
    expect(upstream.heads.map((heads) => heads.length)).toEqual([1, 1]);
  });

  it("that ends with the connection", async () => {
    const upstream = await serveRequests((socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\nfine"));
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openProxy()).send(get(url));
    await client.waitForText("0\r\n\r\n");
    await client.send(get(url)).waitForText("0\r\n\r\n", 2);
    expect(upstream.heads.length).toBe(2);
  });

  it("that the client abandons halfway", async () => {
    const upstream = await serveFirst("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    const url = `http://127.0.0.1:${upstream.port}/`;
    const proxy = await openProxy();
    const client = new Client(proxy).send(get(url));
    await client.waitForText("half");
    client.socket.destroy();
    await closed(connectionOf(upstream, 1));
    await new Client(proxy).send(get(url)).waitForText("fine");
    expect(upstream.heads.length).toBe(2);
  });
});

describe("an idle connection", () => {
  it.each([
    ["ends it", (socket: Socket): unknown => socket.end()],
    ["resets it", (socket: Socket): unknown => socket.resetAndDestroy()],
    [
      "sends an unsolicited response",
      (socket: Socket): unknown => socket.write(OK_RESPONSE.replace("fine", "evil")),
    ],
    ["sends a byte", (socket: Socket): unknown => socket.write("H")],
    ["sends an empty line", (socket: Socket): unknown => socket.write("\r\n")],
  ])("is closed when the server %s", async (_case, act) => {
    const upstream = await serveFirst(OK_RESPONSE);
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openProxy()).send(get(url));
    await client.waitForText("fine");
    act(connectionOf(upstream, 1));
    await closed(connectionOf(upstream, 1));
    expect(await client.send(get(url)).waitForText("fine", 2)).not.toContain("evil");
    expect(upstream.heads.length).toBe(2);
  });

  it("is closed earlier than by default if the server's Keep-Alive announces a short timeout", async () => {
    const upstream = await serveFirst(OK_RESPONSE.replace("\r\n", "\r\nKeep-Alive: timeout=2\r\n"));
    await new Client(await openProxy()).send(get(`http://127.0.0.1:${upstream.port}/`)).waitForText("fine");
    const connection = connectionOf(upstream, 1);
    const first = await Promise.race([
      closed(connection).then(() => "proxy"),
      once(connection.setTimeout(8_000), "timeout").then(() => "server"),
    ]);
    expect(first).toBe("proxy");
  });

  it("is closed if six to the same host are already idle", async () => {
    let waiting: Socket[] = [];
    let batchSize = 8;
    const surplus = Promise.withResolvers<void>();
    const upstream = await serveRequests((socket) => {
      socket.once("end", () => {
        if (upstream.sockets.filter((each) => each.readableEnded).length === 2) surplus.resolve();
      });
      if (waiting.push(socket) < batchSize) return;
      for (const each of waiting) each.write(OK_RESPONSE);
      waiting = [];
    });
    const proxy = await openProxy();
    const clients = Array.from({ length: 8 }, () => new Client(proxy));
    const exchange = async (client: Client, times: number): Promise<string> =>
      client.send(get(`http://127.0.0.1:${upstream.port}/`)).waitForText("fine", times);
    await Promise.all(clients.map((client) => exchange(client, 1)));
    await surplus.promise;
    batchSize = 6;
    await Promise.all(clients.slice(0, batchSize).map((client) => exchange(client, 2)));
    expect(upstream.heads.map((heads) => heads.length).toSorted((a, b) => a - b)).toEqual([
      1, 1, 2, 2, 2, 2, 2, 2,
    ]);
  });

  it("closes with its proxy", async () => {
    const upstream = await serveFirst(OK_RESPONSE);
    const proxy = await openProxy();
    await new Client(proxy).send(get(`http://127.0.0.1:${upstream.port}/`)).waitForText("fine");
    await proxy.close();
    await expect(closed(connectionOf(upstream, 1))).resolves.toBeUndefined();
  });
});
