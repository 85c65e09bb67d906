import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Client, openProxy, serveHttp } from "./egress-proxy.ts";
import {
  requestText,
  closed,
  connectionOf,
  OK_RESPONSE,
  get,
  serveFirst,
  serveRequests,
} from "./upstream.ts";

describe("a reused connection that the server closes during a request", () => {
  const end = (socket: Socket): unknown => socket.end();
  const reset = (socket: Socket): unknown => socket.resetAndDestroy();

  it.each([
    ["GET", end],
    ["GET", reset],
    ["HEAD", end],
    ["OPTIONS", reset],
  ])("causes a retry of %s over a new connection", async (method, close) => {
    const upstream = await serveRequests((socket, { request }) => {
      if (request === 1) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      else close(socket);
    });
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openProxy()).send(get(`${url}1`));
    await client.waitForText("\r\n\r\n");
    await client.send(requestText(method, `${url}2`)).waitForText("\r\n\r\n", 2);
    expect(upstream.heads.map((heads) => heads.map((head) => head.split(" HTTP")[0]))).toEqual([
      ["GET /1", `${method} /2`],
      [`${method} /2`],
    ]);
  });

  it("causes a retry over a new connection, not over another idle one", async () => {
    const upstream = await serveRequests((socket, { connection, request }) => {
      if (request === 2) socket.end();
      else if (connection === 2) for (const each of upstream.sockets) each.write(OK_RESPONSE);
      else if (connection === 3) socket.write(OK_RESPONSE);
    });
    const url = `http://127.0.0.1:${upstream.port}/`;
    const proxy = await openProxy();
    const clients = [new Client(proxy).send(get(url)), new Client(proxy).send(get(url))] as const;
    await Promise.all(clients.map((client) => client.waitForText("fine")));
    await clients[0].send(get(url)).waitForText("fine", 2);
    expect(upstream.heads.map((heads) => heads.length).toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
  });

  it.each([
    ["if the new connection also closes", "", [2, 1]],
    ["if a byte of a response has arrived", "H", [2]],
  ])("fails the request %s", async (_case, raw, requests) => {
    const upstream = await serveRequests((socket, { connection, request }) => {
      if (connection + request === 2) socket.write(OK_RESPONSE);
      else socket.end(raw);
    });
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openProxy()).send(get(url));
    await client.waitForText("fine");
    await client.send(get(url)).waitForClose();
    expect(client.received.split("HTTP/1.1").length).toBe(2);
    expect(upstream.heads.map((heads) => heads.length)).toEqual(requests);
  });

  it("is the only cause of a retry: a request over a new connection is not retried", async () => {
    const upstream = await serveRequests((socket) => void socket.end());
    const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${upstream.port}/`));
    expect(await client.waitForClose()).toBe("");
    expect(upstream.heads.length).toBe(1);
  });
});

describe("a request that is not safe to repeat", () => {
  it.each([
    ["POST", "Content-Length: 4\r\n", "body"],
    ["GET", "Content-Length: 4\r\n", "body"],
    ["PUT", "Transfer-Encoding: chunked\r\n", "4\r\nbody\r\n0\r\n\r\n"],
    ["POST", "", ""],
    ["DELETE", "", ""],
  ])("opens a new connection: %s with %j", async (method, fields, body) => {
    const methodsByConnection: string[][] = [];
    const requestsOf = new Map<Socket, string[]>();
    const port = await serveHttp((request, response) => {
      const requests = requestsOf.get(request.socket) ?? [];
      if (requests.push(request.method ?? "") === 1) methodsByConnection.push(requests);
      requestsOf.set(request.socket, requests);
      request.resume().once("end", () => response.end("fine"));
    });
    const url = `http://127.0.0.1:${port}/`;
    const client = new Client(await openProxy()).send(get(url));
    await client.waitForText("fine");
    await client.send(requestText(method, url, fields) + body).waitForText("fine", 2);
    await client.send(get(url)).waitForText("fine", 3);
    expect(methodsByConnection).toEqual([["GET", "GET"], [method]]);
  });

  it("has its connection closed if the response arrives before the whole body is sent", async () => {
    const upstream = await serveFirst(OK_RESPONSE);
    const url = `http://127.0.0.1:${upstream.port}/`;
    const proxy = await openProxy();
    const client = new Client(proxy).send(requestText("POST", url, "Content-Length: 9\r\n") + "half");
    await client.waitForText("fine");
    await Promise.all([client.waitForClose(), closed(connectionOf(upstream, 1))]);
    await new Client(proxy).send(get(url)).waitForText("fine");
    expect(upstream.heads.length).toBe(2);
  });
});

describe("connections", () => {
  it("are shared between the clients of a proxy, per host and port", async () => {
    const upstream = await serveRequests((socket) => socket.write(OK_RESPONSE));
    const proxy = await openProxy();
    const hosts = ["127.0.0.1", "a.example.com", "A.example.com.", "b.example.com"];
    for (const host of [...hosts, ...hosts]) {
      await new Client(proxy).send(get(`http://${host}:${upstream.port}/`)).waitForText("fine");
    }
    const hostsOf = (heads: string[]): string[] => heads.map((head) => /Host: (.*):/.exec(head)?.[1] ?? "");
    expect(upstream.heads.map(hostsOf)).toEqual([
      ["127.0.0.1", "127.0.0.1"],
      ["a.example.com", "a.example.com.", "a.example.com", "a.example.com."],
      ["b.example.com", "b.example.com"],
    ]);
  });

  it("are reused by any number of requests, without leaking listeners", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): unknown => warnings.push(warning);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const upstream = await serveRequests((socket) => socket.write(OK_RESPONSE));
    const client = new Client(await openProxy());
    for (let round = 1; round <= 20; round += 1) {
      await client.send(get(`http://127.0.0.1:${upstream.port}/`)).waitForText("fine", round);
    }
    expect(upstream.heads.map((heads) => heads.length)).toEqual([20]);
    expect(warnings).toEqual([]);
  });

  it("are not shared between proxies", async () => {
    const upstream = await serveRequests((socket) => socket.write(OK_RESPONSE));
    for (const proxy of [await openProxy(), await openProxy()]) {
      await new Client(proxy).send(get(`http://127.0.0.1:${upstream.port}/`)).waitForText("fine");
    }
    expect(upstream.heads.map((heads) => heads.length)).toEqual([1, 1]);
  });

  it("are not shared by concurrent requests", async () => {
    const upstream = await serveRequests((_socket, { connection }) => {
      if (connection === 2) for (const each of upstream.sockets) each.write(OK_RESPONSE);
    });
    const proxy = await openProxy();
    const clients = [1, 2].map(() => new Client(proxy).send(get(`http://127.0.0.1:${upstream.port}/`)));
    await Promise.all(clients.map((client) => client.waitForText("fine")));
    expect(upstream.heads.map((heads) => heads.length)).toEqual([1, 1]);
  });

  it("to the same host share one lookup", async () => {
    const upstream = await serveRequests(
      (socket, { request }) => void (request < 3 && socket.write(OK_RESPONSE)),
    );
    const resolutions = [["127.0.0.1"], ["127.0.0.2"]];
    const proxy = await openProxy({
      resolver: { resolve: () => Promise.resolve(resolutions.shift() ?? []) },
    });
    const url = `http://rebind.example.com:${upstream.port}/`;
    const client = new Client(proxy).send(get(url));
    await client.waitForText("fine");
    await client.send(get(url)).waitForText("fine", 2);
    client.send(get(url));
    await once(connectionOf(upstream, 1), "data");
    await new Client(proxy).send(get(url)).waitForText("fine");
    expect(resolutions).toEqual([["127.0.0.2"]]);
    expect(upstream.heads.length).toBe(2);
  });
});

describe("the limits of a proxy", () => {
  it("count each byte of a reused connection once", async () => {
    const port = await serveHttp((_request, response) => response.end(`${"x".repeat(30_000)}.`));
    const proxy = await openProxy({ maxBytesPerPage: 100_000 });
    const client = new Client(proxy);
    for (const round of [1, 2, 3]) {
      client.send(get(`http://127.0.0.1:${port}/`));
      await client.waitForText("x.", round);
    }
    expect(proxy.overflow.aborted).toBe(false);
    await client.send(get(`http://127.0.0.1:${port}/`)).waitForClose();
    expect(proxy.overflow.aborted).toBe(true);
    expect(proxy.failure(`http://127.0.0.1:${port}/`)).toBe("too-large");
  });

  it("count bytes received over an idle connection", async () => {
    const upstream = await serveFirst(OK_RESPONSE);
    const proxy = await openProxy({ maxBytesPerPage: 10_000 });
    await new Client(proxy).send(get(`http://127.0.0.1:${upstream.port}/`)).waitForText("fine");
    connectionOf(upstream, 1).write("x".repeat(20_000));
    if (!proxy.overflow.aborted) await once(proxy.overflow, "abort");
    expect(proxy.failure(`http://127.0.0.1:${upstream.port}/`)).toBe("too-large");
  });

  it("count the headers of requests", async () => {
    const port = await serveHttp((_request, response) => response.writeHead(204).end());
    const proxy = await openProxy({ maxBytesPerPage: 20_000 });
    const client = new Client(proxy);
    for (let sent = 0; sent < 4; sent += 1) {
      client.send(get(`http://127.0.0.1:${port}/?${"q".repeat(6000)}`));
      if (sent < 3) await client.waitForText("204 No Content", sent + 1);
    }
    await client.waitForClose();
    expect(proxy.overflow.aborted).toBe(true);
  });

  it("count connections, not requests", async () => {
    const upstream = await serveRequests((socket, { request }) =>
      socket.write(request === 4 ? OK_RESPONSE.replace("\r\n", "\r\nConnection: close\r\n") : OK_RESPONSE),
    );
    const url = `http://127.0.0.1:${upstream.port}/`;
    const proxy = await openProxy({ maxConnectionsPerPage: 1 });
    const client = new Client(proxy);
    for (const round of [1, 2, 3, 4]) await client.send(get(url)).waitForText("fine", round);
    await client.send(get(url)).waitForClose();
    expect(proxy.failure(url)).toBe("too-many-connections");
  });
});
