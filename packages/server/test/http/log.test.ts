import { SnapError } from "@snap/engine";
import { hostname } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { openService, signedQuery } from "./open-service.ts";

const url = "https://example.com/";

it("logs one line per request, without secrets", async () => {
  const { snap, customer, lines } = await openService();
  const { id, token, tokenId } = await customer();
  const reply = await snap(
    { url: `${url}?key=topsecret`, cacheTtl: "60" },
    { token, headers: { "user-agent": "shop/1.0" } },
  );
  await snap({ url, signature: "f00d" }, { token });
  const requests = lines.filter(({ msg }) => msg === "request");
  expect(requests).toEqual([
    {
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      instance: `${hostname()}:${process.pid}`,
      msg: "request",
      request_id: reply.headers["x-request-id"],
      method: "GET",
      path: "/v1/snap",
      status: 200,
      bytes: reply.body.length,
      duration_ms: expect.any(Number),
      account: id,
      token: tokenId,
      client: "127.0.0.1",
      user_agent: "shop/1.0",
      cache: "miss",
    },
    expect.objectContaining({ status: 422, code: "validation_failed", account: id }),
  ]);
  const text = JSON.stringify(lines);
  for (const secret of [token, token.split("|")[1] ?? "", "topsecret", "f00d"])
    expect(text).not.toContain(secret);
});

it("shortens a long path", async () => {
  const { send, lines } = await openService();
  for (const length of [256, 257, 60_000]) await send(`/${"a".repeat(length - 1)}`);
  const paths = lines.filter(({ msg }) => msg === "request").map(({ path }) => path);
  expect(paths).toEqual([`/${"a".repeat(255)}`, `/${"a".repeat(255)}…`, `/${"a".repeat(255)}…`]);
});

it("logs the detail and the stack of an internal error", async () => {
  const { snap, customer, renderer, lines } = await openService();
  const { token } = await customer();
  const cause = new Error("the pipe broke");
  renderer.failNext(new SnapError("upstream_error", "for the caller", { detail: "for the operator", cause }));
  await snap({ url }, { token });
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({
    level: "error",
    status: 502,
    code: "upstream_error",
    detail: "for the operator",
    err: { type: "Error", message: "the pipe broke", stack: expect.stringContaining("log.test.ts") },
  });
});

it.each([
  ["render_failed", 500],
  ["upstream_rate_limited", 503],
] as const)("logs %s at level info, because the page or high load causes it", async (code, status) => {
  const { snap, customer, renderer, lines } = await openService();
  const { token } = await customer();
  renderer.failNext(new SnapError(code, "for the caller", { detail: "a detail" }));
  await snap({ url }, { token });
  const line = lines.find(({ msg }) => msg === "request");
  expect(line).toMatchObject({ level: "info", status, code, detail: "a detail" });
  expect(line).not.toHaveProperty("err");
});

it("logs a malformed request", async () => {
  const { sendRaw, lines } = await openService();
  const text = await sendRaw("noise\r\n\r\n");
  const line = lines.find(({ msg }) => msg === "rejected");
  expect(line).toMatchObject({
    status: 400,
    code: "bad_request",
    detail: expect.stringContaining("HPE_"),
    client: "127.0.0.1",
  });
  expect(text).toContain(String(line?.["request_id"]));
});

describe("a leaked token", () => {
  it("can be traced by its log lines: who used it, from where, and how much", async () => {
    const { snap, send, customer, lines } = await openService();
    const { token, tokenId, id } = await customer();
    const thief = { token, headers: { "user-agent": "curl/8.5" } };
    await snap({ url }, thief);
    await send("/v1/usage", thief);
    await send("/v1/usage", { token: (await customer()).token });
    const found = lines.filter((line) => line["token"] === tokenId);
    expect(found).toHaveLength(2);
    for (const line of found)
      expect(line).toMatchObject({ account: id, client: "127.0.0.1", user_agent: "curl/8.5" });
    expect(found.map(({ path, bytes }) => [path, Number(bytes) > 0])).toEqual([
      ["/v1/snap", true],
      ["/v1/usage", true],
    ]);
  });

  it("is named in the log line of each use after its rotation or revocation", async () => {
    const { engine, send, customer, clock, lines } = await openService();
    const { token, tokenId } = await customer();
    const last = (): Record<string, unknown> | undefined => lines.findLast(({ msg }) => msg === "request");
    const use = async (): Promise<unknown> => {
      await send("/v1/usage", { token });
      return last();
    };
    await engine.tokens.rotate(tokenId, { overlapMs: 60_000 });
    expect(await use()).toMatchObject({ status: 200, token: tokenId, previous_secret: true });
    clock.advance(60_000);
    expect(await use()).toMatchObject({
      status: 401,
      detail: `token ${tokenId}'s secret is wrong, or from before a rotation`,
    });
    await engine.tokens.revoke(tokenId);
    expect(await use()).toMatchObject({
      status: 401,
      detail: `token ${tokenId} does not exist, or was revoked`,
    });
    const { signingSecret, tokenId: other } = await customer();
    await engine.tokens.rotate(other, { overlapMs: 60_000 });
    const query = signedQuery({ url, tokenId: other }, signingSecret);
    expect((await send(`/v1/snap/signed?${query}`)).status).toBe(200);
    expect(last()).toMatchObject({ token: other, previous_secret: true });
    clock.advance(60_000);
    await send(`/v1/snap/signed?${query}`);
    expect(last()).toMatchObject({
      status: 403,
      detail: `not signed with the current secret of token ${other}, or the token has expired or does not exist`,
    });
  });
});

describe("text from a client", () => {
  it.each([
    ["a newline", "a\r\n{}", 400],
    ["an escape", "a\u001b[2Jb", 400],
    ["an 8-bit control sequence", "a\u009b2Jb", 404],
    ["an 8-bit next-line control", 'a\u0085{"msg":"request"}', 404],
    ["quotes", '{"a":"\\"', 404],
  ])("with %s stays on one line of JSON", async (_, userAgent, status) => {
    const { sendRaw, text } = await openService();
    const sent = `GET /x HTTP/1.1\r\nHost: x\r\nUser-Agent: ${userAgent}\r\nConnection: close\r\n\r\n`;
    const reply = await sendRaw(Buffer.from(sent, "latin1"));
    expect(reply).toContain(`HTTP/1.1 ${status} `);
    const written = text();
    for (const line of written.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(written.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  });

  it("is shortened", async () => {
    const { send, lines } = await openService();
    await send("/x", { headers: { "user-agent": "a".repeat(10_000) } });
    expect(lines.at(-1)?.["user_agent"]).toBe(`${"a".repeat(200)}…`);
  });
});

it("passes the request id to the renderer, for its log lines", async () => {
  const { snap, customer, renderer } = await openService();
  const render = vi.spyOn(renderer, "render");
  const { headers } = await snap({ url }, { token: (await customer()).token });
  const requestId = headers["x-request-id"];
  expect(render).toHaveBeenCalledExactlyOnceWith(expect.anything(), expect.objectContaining({ requestId }));
});

it("logs health checks and requests for metrics at level debug", async () => {
  const { send, lines } = await openService({ metrics: true, logLevel: "debug" });
  for (const path of ["/healthz", "/readyz", "/metrics", "/x"]) await send(path);
  expect(lines.filter(({ msg }) => msg === "request").map(({ path, level }) => [path, level])).toEqual([
    ["/healthz", "debug"],
    ["/readyz", "debug"],
    ["/metrics", "debug"],
    ["/x", "info"],
  ]);
});

it("logs 0 bytes for HEAD, and the response size of an MCP request", async () => {
  const { send, customer, lines } = await openService();
  const { token } = await customer();
  await send("/v1/openapi.json", { method: "HEAD" });
  expect(lines.at(-1)).toMatchObject({ method: "HEAD", bytes: 0 });
  const { body } = await send("/mcp", {
    method: "POST",
    token,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  expect(body.length).toBeGreaterThan(0);
  expect(lines.at(-1)).toMatchObject({ path: "/mcp", bytes: body.length });
});
