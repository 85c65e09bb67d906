import { SnapError } from "@snap/engine";
import { expect, it, onTestFinished, vi } from "vitest";
import { envelopeOf, openService, type RequestOptions, type Reply } from "../http/open-service.ts";

const url = "https://example.com/";

/** A request as clients of protocol revisions before 2026-07-28 send it. It needs no handshake, because the service is stateless. */
function post(message: unknown, options: RequestOptions = {}): RequestOptions {
  return {
    method: "POST",
    ...options,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...options.headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  };
}

function request(method: string, params: object = {}): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

/** Every message of a response, from JSON or events. */
function messagesOf({ body }: Reply): Record<string, unknown>[] {
  const lines = body.toString().match(/^data: .+$/gm) ?? [`data: ${body.toString()}`];
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>);
}

it("handles a request without a session", async () => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const reply = await send("/mcp", post(request("tools/list"), { token }));
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({
    "cache-control": "no-store, no-transform",
    "x-content-type-options": "nosniff",
  });
  expect(reply.headers["mcp-session-id"]).toBeUndefined();
  expect(messagesOf(reply)).toMatchObject([
    { id: 1, result: { tools: [{ name: "take-screenshot" }, {}, {}] } },
  ]);
});

it("adds no more listeners to the response than Node allows without a warning", async () => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  await send("/mcp", post(request("tools/call", { name: "check-usage", arguments: {} }), { token }));
  expect(warnings).not.toContain("MaxListenersExceededWarning");
});

it.each(["GET", "DELETE", "PUT"])(
  "%s returns 405: there are no sessions and no standalone streams",
  async (method) => {
    const { send, customer } = await openService();
    const { token } = await customer();
    const reply = await send("/mcp", { method, token });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe("POST, OPTIONS");
    expect(envelopeOf(reply).code).toBe("method_not_allowed");
  },
);

it.each([undefined, "1|wrong"])("returns 401 with the error envelope for the token %s", async (token) => {
  const { send } = await openService();
  const reply = await send("/mcp", post(request("tools/list"), token === undefined ? {} : { token }));
  expect(reply.status).toBe(401);
  expect(reply.headers["www-authenticate"]).toBe('Bearer realm="snap"');
  expect(envelopeOf(reply).code).toBe("unauthenticated");
  expect(envelopeOf(reply).request_id).toBe(reply.headers["x-request-id"]);
});

const FOREIGN_HOST = "to allow another host, its operator must change its SNAP_PUBLIC_URL";
const FOREIGN_ORIGIN = "pages of other sites cannot use it";
it.each([
  ["Host", "evil.example.com", FOREIGN_HOST],
  ["Host", "snap.example.com.evil.example.com", FOREIGN_HOST],
  ["Host", "x".repeat(500), FOREIGN_HOST],
  ["Origin", "https://evil.example.com", FOREIGN_ORIGIN],
  ["Origin", "null", FOREIGN_ORIGIN],
])("rejects the foreign %s %s, despite a valid token", async (name, value, advice) => {
  const { send, customer, renderer, lines, whenLogged } = await openService();
  const { token } = await customer();
  const call = request("tools/call", { name: "take-screenshot", arguments: { url } });
  const reply = await send("/mcp", post(call, { token, headers: { [name]: value } }));
  expect(reply.status).toBe(403);
  const message = expect.stringMatching(
    new RegExp(`^Invalid .* This service is at https://snap\\.example\\.com; ${advice}\\.$`),
  ) as string;
  expect(messagesOf(reply)).toEqual([{ jsonrpc: "2.0", error: { code: -32000, message }, id: null }]);
  expect(reply.body.length).toBeLessThan(600);
  await whenLogged("request");
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({ status: 403, detail: message });
  expect(renderer.calls).toEqual([]);
});

it.each([
  ["Host", "snap.example.com"],
  ["Host", "localhost:3000"],
  ["Host", "[::1]:3000"],
  ["Origin", "https://snap.example.com"],
  ["Origin", "http://localhost:5173"],
])("accepts the %s %s", async (name, value) => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const reply = await send("/mcp", post(request("ping"), { token, headers: { [name]: value } }));
  expect(messagesOf(reply)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
});

it.each<[string, object, Record<string, string>, number, number]>([
  ["an invalid message", { a: 1 }, {}, 400, -32_600],
  ["a client that does not accept events", request("ping"), { Accept: "application/json" }, 406, -32_000],
  ["an unknown revision", request("ping"), { "MCP-Protocol-Version": "1999-01-01" }, 400, -32_000],
])("returns a protocol error for %s", async (_case, message, headers, status, code) => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const reply = await send("/mcp", post(message, { token, headers }));
  expect(reply.status).toBe(status);
  expect(messagesOf(reply)).toMatchObject([{ jsonrpc: "2.0", error: { code } }]);
});

it.each<[string, string | Buffer, Record<string, string>]>([
  ["malformed JSON", "{", {}],
  ["text that is not UTF-8", Buffer.from('{"a":"\xff"}', "latin1"), {}],
  ["an unsupported content type", "{}", { "Content-Type": "text/plain" }],
  ["a JSON-RPC batch", JSON.stringify([request("ping")]), {}],
  ["an empty JSON-RPC batch", "[]", {}],
])("returns 422 for %s", async (_case, body, headers) => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const reply = await send("/mcp", { ...post("", { token, headers }), body });
  expect(reply.status).toBe(422);
  expect(envelopeOf(reply)).toMatchObject({
    code: "validation_failed",
    errors: { body: [expect.any(String)] },
  });
});

it("rejects a JSON-RPC batch of a call and its cancellation, without starting anything", async () => {
  const { send, customer, renderer } = await openService();
  const { token } = await customer();
  const call = request("tools/call", { name: "take-screenshot", arguments: { url } });
  const cancellation = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  const reply = await send("/mcp", post([call, cancellation], { token }));
  expect(envelopeOf(reply).code).toBe("validation_failed");
  expect(renderer.calls).toEqual([]);
});

it.each([
  ["/mcp", "*/*"],
  ["/mcp/", "*/*"],
  ["/mcp", undefined],
  ["/mcp", "application/json, text/plain, */*"],
  ["/mcp", "*/*;q=0.8"],
  ["/mcp", "Application/JSON, text/*"],
])("at %s sends events to a client with Accept: %s", async (path, accept) => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const headers = { "Content-Type": "application/json", ...(accept && { Accept: accept }) };
  const reply = await send(path, { method: "POST", token, headers, body: JSON.stringify(request("ping")) });
  expect(reply.headers["content-type"]).toBe("text/event-stream");
  expect(messagesOf(reply)).toMatchObject([{ result: {} }]);
});

it.each([
  ["take-pictures", {}],
  ["constructor", {}],
  ["__proto__", {}],
  ["take-screenshot", "https://example.com/"],
  ["take-screenshot", ["https://example.com/"]],
])("returns a protocol error for a call to %s with %j", async (name, args) => {
  const { send, customer, renderer } = await openService();
  const { token } = await customer();
  const reply = await send("/mcp", post(request("tools/call", { name, arguments: args }), { token }));
  expect(messagesOf(reply)).toMatchObject([{ id: 1, error: { code: expect.any(Number) as number } }]);
  expect(renderer.calls).toEqual([]);
});

it("treats the name of an inherited property as an unknown parameter", async () => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const call = request("tools/call", { name: "take-screenshot", arguments: { url, toString: 1 } });
  const reply = await send("/mcp", post(call, { token }));
  expect(messagesOf(reply)).toMatchObject([
    {
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("validation_failed: toString ") as string }, {}],
      },
    },
  ]);
});

// the MCP library drops it before the tool is called
it("ignores an argument named __proto__", async () => {
  const { send, customer, renderer } = await openService();
  const { token } = await customer();
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take-screenshot","arguments":{"url":"${url}","__proto__":{"pdf":true}}}}`;
  await send("/mcp", post(call, { token }));
  expect(renderer.calls).toEqual([expect.objectContaining({ pdf: false, url })]);
});

it("rejects an argument that is nested thousands of levels deep", async () => {
  const { send, customer, lines } = await openService();
  const { token } = await customer();
  const css = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take-screenshot","arguments":{"url":"${url}","css":${css}}}}`;
  const reply = await send("/mcp", post(call, { token }));
  expect(messagesOf(reply)).toMatchObject([
    {
      result: {
        isError: true,
        content: [{ text: expect.stringMatching(/^validation_failed: css /) as string }, {}],
      },
    },
  ]);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});

it("waits only once for a body whose Content-Length is too large", async () => {
  const { customer, sendRaw } = await openService();
  const { token } = await customer();
  const timeouts = vi.spyOn(AbortSignal, "timeout");
  const refused = await sendRaw(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 262145\r\n\r\n`,
  );
  expect(refused).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/s);
  expect(timeouts.mock.calls.filter(([ms]) => ms === 1000)).toHaveLength(1);
});

it("rejects a body over the limit, or responds with 401 if there is no token", async () => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const large = request("tools/call", { name: "check-usage", arguments: { pad: "x".repeat(262_144) } });
  const refused = await send("/mcp", post(large, { token }));
  expect(refused.status).toBe(413);
  expect(envelopeOf(refused).code).toBe("payload_too_large");
  expect((await send("/mcp", post(large))).status).toBe(401);
});

it("rejects subscriptions", async () => {
  const { send, customer } = await openService();
  const { token } = await customer();
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const listen = request("subscriptions/listen", {
    _meta: envelope,
    notifications: { toolsListChanged: true },
  });
  const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" };
  const reply = await send("/mcp", post(listen, { token, headers }));
  expect(reply.status).toBe(200);
  expect(messagesOf(reply)).toMatchObject([
    { error: { code: -32603, message: "Subscription limit reached" } },
  ]);
});

it("while stopping, finishes running calls and rejects new ones", async () => {
  const { service, send, customer, renderer } = await openService();
  const { token } = await customer();
  const release = renderer.hold();
  const call = post(request("tools/call", { name: "take-screenshot", arguments: { url } }), { token });
  const running = send("/mcp", call);
  await renderer.whenCalled(1);
  const stopped = service.stop();
  const refused = await send("/mcp", call);
  expect(refused.status).toBe(503);
  expect(envelopeOf(refused).code).toBe("not_ready");
  release();
  expect(messagesOf(await running)).toMatchObject([{ result: { structuredContent: { cache: "MISS" } } }]);
  await stopped;
});

it("logs the tool, its error code, and the detail of an internal error", async () => {
  const { send, customer, renderer, lines, whenLogged } = await openService();
  const { token, id } = await customer();
  renderer.failNext(new SnapError("server_error", "Something went wrong.", { detail: "the disk failed" }));
  const call = request("tools/call", { name: "create-pdf", arguments: { url } });
  const reply = await send("/mcp", post(call, { token }));
  expect(reply.body.toString()).not.toContain("the disk failed");
  await whenLogged("request");
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({
    level: "error",
    path: "/mcp",
    status: 200,
    tool: "create-pdf",
    code: "server_error",
    detail: "the disk failed",
    account: id,
    request_id: reply.headers["x-request-id"],
  });
});

it("counts calls and captures in the metrics", async () => {
  const { send, customer } = await openService({ metrics: true });
  const { token } = await customer();
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const call = request("tools/call", { name: "create-pdf", arguments: { url } });
    await send("/mcp", post(call, { token }));
  }
  const metrics = (await send("/metrics")).body.toString();
  expect(metrics).toContain('snap_http_requests_total{route="/mcp",status="200",code=""} 2');
  expect(metrics).toContain('snap_captures_total{cache="miss"} 1');
  expect(metrics).toContain('snap_captures_total{cache="hit"} 1');
  expect(metrics).toContain("snap_credits_total 1");
});

it("caches, charges and logs a render whose client disconnects", async () => {
  const { service, send, snap, customer, renderer, lines, whenLogged } = await openService();
  const { token } = await customer({ credits: 10 });
  const release = renderer.hold();
  const client = new AbortController();
  const call = post(request("tools/call", { name: "take-screenshot", arguments: { url } }), { token });
  const pending = fetch(`${service.origin}/mcp`, {
    method: "POST",
    headers: { ...call.headers, Authorization: `Bearer ${token}` },
    body: String(call.body),
    signal: client.signal,
  }).then((response) => response.text());
  await renderer.whenCalled(1);
  client.abort();
  await expect(pending).rejects.toThrow("aborted");
  // Another request gives the service time to notice the disconnect.
  await send("/healthz");
  release();
  await whenLogged("request");
  expect(lines.find(({ path }) => path === "/mcp")).toMatchObject({
    tool: "take-screenshot",
    cache: "miss",
    status: 200,
    client_gone: true,
  });
  expect((await snap({ url }, { token })).headers).toMatchObject({
    "x-cache": "HIT",
    "x-credits-remaining": "9",
  });
});

it("closes the connection after the response if the client requests it", async () => {
  const { sendRaw, customer } = await openService();
  const { token } = await customer();
  const body = JSON.stringify(request("ping"));
  const response = await sendRaw(
    [
      "POST /mcp HTTP/1.1",
      "Host: snap.example.com",
      "Connection: close",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(response).toMatch(/^connection: close\r$/im);
});
