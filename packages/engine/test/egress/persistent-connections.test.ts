import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Client, openLane, serveHttp } from "./lane.ts";
import { ask, closed, connectionOf, FINE, get, serveFirst, serveRequests } from "./upstream.ts";

describe("a reused connection that the server closes without a response", () => {
  const leave = (socket: Socket): unknown => socket.end();
  const reset = (socket: Socket): unknown => socket.resetAndDestroy();

  it.each([
    ["GET", leave],
    ["GET", reset],
    ["HEAD", leave],
    ["OPTIONS", reset],
  ])("has %s retried over a new connection", async (method, close) => {
    const upstream = await serveRequests((socket, { request }) => {
      if (request === 1) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
      else close(socket);
    });
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openLane()).send(get(`${url}1`));
    await client.receives("\r\n\r\n");
    await client.send(ask(method, `${url}2`)).receives("\r\n\r\n", 2);
    expect(upstream.heads.map((heads) => heads.map((head) => head.split(" HTTP")[0]))).toEqual([
      ["GET /1", `${method} /2`],
      [`${method} /2`],
    ]);
  });

  it("has the request retried over a new connection, not over another idle one", async () => {
    const upstream = await serveRequests((socket, { connection, request }) => {
      if (request === 2) socket.end();
      else if (connection === 2) for (const each of upstream.sockets) each.write(FINE);
      else if (connection === 3) socket.write(FINE);
    });
    const url = `http://127.0.0.1:${upstream.port}/`;
    const lane = await openLane();
    const clients = [new Client(lane).send(get(url)), new Client(lane).send(get(url))] as const;
    await Promise.all(clients.map((client) => client.receives("fine")));
    await clients[0].send(get(url)).receives("fine", 2);
    expect(upstream.heads.map((heads) => heads.length).toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
  });

  it.each([
    ["when the new connection closes, too", "", [2, 1]],
    ["when a byte of a response has arrived", "H", [2]],
  ])("fails the request %s", async (_when, raw, requests) => {
    const upstream = await serveRequests((socket, { connection, request }) => {
      if (connection + request === 2) socket.write(FINE);
      else socket.end(raw);
    });
    const url = `http://127.0.0.1:${upstream.port}/`;
    const client = new Client(await openLane()).send(get(url));
    await client.receives("fine");
    await client.send(get(url)).closes();
    expect(client.received.split("HTTP/1.1").length).toBe(2);
    expect(upstream.heads.map((heads) => heads.length)).toEqual(requests);
  });

  it("is the only kind that is retried: a new connection is not", async () => {
    const upstream = await serveRequests((socket) => void socket.end());
    const client = new Client(await openLane()).send(get(`http://127.0.0.1:${upstream.port}/`));
    expect(await client.closes()).toBe("");
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
  ])("%s with %j opens a new connection", async (method, fields, body) => {
    const perConnection: string[][] = [];
    const requestsOf = new Map<Socket, string[]>();
    const port = await serveHttp((request, response) => {
      const requests = requestsOf.get(request.socket) ?? [];
      if (requests.push(request.method ?? "") === 1) perConnection.push(requests);
      requestsOf.set(request.socket, requests);
      request.resume().once("end", () => response.end("fine"));
    });
    const url = `http://127.0.0.1:${port}/`;
    const client = new Client(await openLane()).send(get(url));
    await client.receives("fine");
    await client.send(ask(method, url, fields) + body).receives("fine", 2);
    await client.send(get(url)).receives("fine", 3);
    expect(perConnection).toEqual([["GET", "GET"], [method]]);
  });

  it("has its connection closed when the response precedes the body", async () => {
    const upstream = await serveFirst(FINE);
    const url = `http://127.0.0.1:${upstream.port}/`;
    const lane = await openLane();
    const client = new Client(lane).send(ask("POST", url, "Content-Length: 9\r\n") + "half");
    await client.receives("fine");
    await Promise.all([client.closes(), closed(connectionOf(upstream, 1))]);
    await new Client(lane).send(get(url)).receives("fine");
    expect(upstream.heads.length).toBe(2);
  });
});

describe("a connection is shared", () => {
  it("between the clients of a lane, for one host and port", async () => {
    const upstream = await serveRequests((socket) => socket.write(FINE));
    const lane = await openLane();
    const hosts = ["127.0.0.1", "a.example.com", "A.example.com.", "b.example.com"];
    for (const host of [...hosts, ...hosts]) {
      await new Client(lane).send(get(`http://${host}:${upstream.port}/`)).receives("fine");
    }
    const hostsOf = (heads: string[]): string[] => heads.map((head) => /Host: (.*):/.exec(head)?.[1] ?? "");
    expect(upstream.heads.map(hostsOf)).toEqual([
      ["127.0.0.1", "127.0.0.1"],
      ["a.example.com", "a.example.com.", "a.example.com", "a.example.com."],
      ["b.example.com", "b.example.com"],
    ]);
  });

  it("by any number of requests, none of which leaves a listener behind", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): unknown => warnings.push(warning);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const upstream = await serveRequests((socket) => socket.write(FINE));
    const client = new Client(await openLane());
    for (let round = 1; round <= 20; round += 1) {
      await client.send(get(`http://127.0.0.1:${upstream.port}/`)).receives("fine", round);
    }
    expect(upstream.heads.map((heads) => heads.length)).toEqual([20]);
    expect(warnings).toEqual([]);
  });

  it("by no two lanes", async () => {
    const upstream = await serveRequests((socket) => socket.write(FINE));
    for (const lane of [await openLane(), await openLane()]) {
      await new Client(lane).send(get(`http://127.0.0.1:${upstream.port}/`)).receives("fine");
    }
    expect(upstream.heads.map((heads) => heads.length)).toEqual([1, 1]);
  });

  it("by no requests at the same time", async () => {
    const upstream = await serveRequests((_socket, { connection }) => {
      if (connection === 2) for (const each of upstream.sockets) each.write(FINE);
    });
    const lane = await openLane();
    const clients = [1, 2].map(() => new Client(lane).send(get(`http://127.0.0.1:${upstream.port}/`)));
    await Promise.all(clients.map((client) => client.receives("fine")));
    expect(upstream.heads.map((heads) => heads.length)).toEqual([1, 1]);
  });

  it("with one look-up; a new connection is looked up and judged again", async () => {
    const upstream = await serveRequests((socket, { request }) => void (request < 3 && socket.write(FINE)));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const lane = await openLane({ resolver: { resolve: () => Promise.resolve(answers.shift() ?? []) } });
    const url = `http://rebind.example.com:${upstream.port}/`;
    const client = new Client(lane).send(get(url));
    await client.receives("fine");
    await client.send(get(url)).receives("fine", 2);
    expect(answers.length).toBe(1);
    client.send(get(url));
    await once(connectionOf(upstream, 1), "data");
    expect(await new Client(lane).send(get(url)).closes()).toBe("");
    expect(lane.refusal(url)).toBe("blocked");
    expect(answers).toEqual([]);
    expect(upstream.heads.length).toBe(1);
  });
});

describe("the bounds of a lane", () => {
  it("count each byte of a reused connection once", async () => {
    const port = await serveHttp((_request, response) => response.end(`${"x".repeat(30_000)}.`));
    const lane = await openLane({ maxBytesPerPage: 100_000 });
    const client = new Client(lane);
    for (const round of [1, 2, 3]) {
      client.send(get(`http://127.0.0.1:${port}/`));
      await client.receives("x.", round);
    }
    expect(lane.overflow.aborted).toBe(false);
    await client.send(get(`http://127.0.0.1:${port}/`)).closes();
    expect(lane.overflow.aborted).toBe(true);
    expect(lane.refusal(`http://127.0.0.1:${port}/`)).toBe("too-large");
  });

  it("count bytes received over an idle connection", async () => {
    const upstream = await serveFirst(FINE);
    const lane = await openLane({ maxBytesPerPage: 10_000 });
    await new Client(lane).send(get(`http://127.0.0.1:${upstream.port}/`)).receives("fine");
    connectionOf(upstream, 1).write("x".repeat(20_000));
    if (!lane.overflow.aborted) await once(lane.overflow, "abort");
    expect(lane.refusal(`http://127.0.0.1:${upstream.port}/`)).toBe("too-large");
  });

  it("count the heads of requests", async () => {
    const port = await serveHttp((_request, response) => response.writeHead(204).end());
    const lane = await openLane({ maxBytesPerPage: 20_000 });
    const client = new Client(lane);
    for (let sent = 0; sent < 4; sent += 1) {
      client.send(get(`http://127.0.0.1:${port}/?${"q".repeat(6000)}`));
      if (sent < 3) await client.receives("204 No Content", sent + 1);
    }
    await client.closes();
    expect(lane.overflow.aborted).toBe(true);
  });

  it("count connections, not requests", async () => {
    const upstream = await serveRequests((socket, { request }) =>
      socket.write(request === 4 ? FINE.replace("\r\n", "\r\nConnection: close\r\n") : FINE),
    );
    const url = `http://127.0.0.1:${upstream.port}/`;
    const lane = await openLane({ maxConnectionsPerPage: 1 });
    const client = new Client(lane);
    for (const round of [1, 2, 3, 4]) await client.send(get(url)).receives("fine", round);
    await client.send(get(url)).closes();
    expect(lane.refusal(url)).toBe("too-many-connections");
  });
});
