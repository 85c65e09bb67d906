import { SnapError } from "@snap/engine";
import { expect, it } from "vitest";
import { envelopeOf, openService, type AskOptions, type Reply } from "../http/open-service.ts";

const url = "https://example.com/";

/** One request of the older revision, which needs no handshake: nothing is kept between requests. */
function post(message: unknown, options: AskOptions = {}): AskOptions {
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

/** Every message of an answer, JSON or events. */
function messagesOf({ body }: Reply): Record<string, unknown>[] {
  const lines = body.toString().match(/^data: .+$/gm) ?? [`data: ${body.toString()}`];
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>);
}

it("answers a request without a session before it", async () => {
  const { ask, customer } = await openService();
  const { token } = await customer();
  const reply = await ask("/mcp", post(request("tools/list"), { token }));
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

it.each(["GET", "DELETE", "PUT"])(
  "%s is refused: there are no sessions and no streams to listen to",
  async (method) => {
    const { ask, customer } = await openService();
    const { token } = await customer();
    const reply = await ask("/mcp", { method, token });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe("POST, OPTIONS");
    expect(envelopeOf(reply).code).toBe("method_not_allowed");
  },
);

it.each([undefined, "1|wrong"])("without a token that is known (%s): 401 and the envelope", async (token) => {
  const { ask } = await openService();
  const reply = await ask("/mcp", post(request("tools/list"), token === undefined ? {} : { token }));
  expect(reply.status).toBe(401);
  expect(reply.headers["www-authenticate"]).toBe('Bearer realm="snap"');
  expect(envelopeOf(reply).code).toBe("unauthenticated");
  expect(envelopeOf(reply).request_id).toBe(reply.headers["x-request-id"]);
});

it.each([
  ["Host", "evil.example.com"],
  ["Host", "snap.example.com.evil.example.com"],
  ["Origin", "https://evil.example.com"],
  ["Origin", "null"],
])("a foreign %s, %s, is refused, whatever the token", async (name, value) => {
  const { ask, customer, renderer } = await openService();
  const { token } = await customer();
  const call = request("tools/call", { name: "take-screenshot", arguments: { url } });
  const reply = await ask("/mcp", post(call, { token, headers: { [name]: value } }));
  expect(reply.status).toBe(403);
  expect(messagesOf(reply)).toMatchObject([{ jsonrpc: "2.0", error: { code: -32000 } }]);
  expect(renderer.calls).toEqual([]);
});

it.each([
  ["Host", "snap.example.com"],
  ["Host", "localhost:3000"],
  ["Host", "[::1]:3000"],
  ["Origin", "https://snap.example.com"],
  ["Origin", "http://localhost:5173"],
])("the service's own %s, %s, passes", async (name, value) => {
  const { ask, customer } = await openService();
  const { token } = await customer();
  const reply = await ask("/mcp", post(request("ping"), { token, headers: { [name]: value } }));
  expect(messagesOf(reply)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
});

it.each<[string, object, Record<string, string>, number, number]>([
  ["no message", { a: 1 }, {}, 400, -32_600],
  ["a client that takes no events", request("ping"), { Accept: "application/json" }, 406, -32_000],
  ["a revision that there isn't", request("ping"), { "MCP-Protocol-Version": "1999-01-01" }, 400, -32_000],
])("%s is a fault of the protocol", async (_case, message, headers, status, code) => {
  const { ask, customer } = await openService();
  const { token } = await customer();
  const reply = await ask("/mcp", post(message, { token, headers }));
  expect(reply.status).toBe(status);
  expect(messagesOf(reply)).toMatchObject([{ jsonrpc: "2.0", error: { code } }]);
});

it.each<[string, string | Buffer, Record<string, string>]>([
  ["no JSON", "{", {}],
  ["text that isn't UTF-8", Buffer.from('{"a":"\xff"}', "latin1"), {}],
  ["another content type", "{}", { "Content-Type": "text/plain" }],
  ["a list of messages", JSON.stringify([request("ping")]), {}],
  ["an empty list", "[]", {}],
])("%s is refused as every body is", async (_case, body, headers) => {
  const { ask, customer } = await openService();
  const { token } = await customer();
  const reply = await ask("/mcp", { ...post("", { token, headers }), body });
  expect(reply.status).toBe(422);
  expect(envelopeOf(reply)).toMatchObject({
    code: "validation_failed",
    errors: { body: [expect.any(String)] },
  });
});

it("a call and its cancellation in one list open no stream, and start nothing", async () => {
  const { ask, customer, renderer } = await openService();
  const { token } = await customer();
  const call = request("tools/call", { name: "take-screenshot", arguments: { url } });
  const cancellation = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  const reply = await ask("/mcp", post([call, cancellation], { token }));
  expect(envelopeOf(reply).code).toBe("validation_failed");
  expect(renderer.calls).toEqual([]);
});

it.each(["*/*", undefined])("who takes anything (Accept: %s) takes events, at /mcp/ too", async (accept) => {
  const { service, customer } = await openService();
  const { token } = await customer();
  const reply = await fetch(`${service.origin}/mcp/`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      ...(accept && { Accept: accept }),
    },
    body: JSON.stringify(request("ping")),
  });
  expect(await reply.text()).toContain('"result":{}');
});

it.each([
  ["take-pictures", {}],
  ["constructor", {}],
  ["__proto__", {}],
  ["take-screenshot", "https://example.com/"],
  ["take-screenshot", ["https://example.com/"]],
])("a call of %s with %j is a fault of the protocol", async (name, args) => {
  const { ask, customer, renderer } = await openService();
  const { token } = await customer();
  const reply = await ask("/mcp", post(request("tools/call", { name, arguments: args }), { token }));
  expect(messagesOf(reply)).toMatchObject([{ id: 1, error: { code: expect.any(Number) as number } }]);
  expect(renderer.calls).toEqual([]);
});

it("a name that every object has is a parameter like any other unknown one", async () => {
  const { ask, customer } = await openService();
  const { token } = await customer();
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take-screenshot","arguments":{"url":"${url}","__proto__":{"pdf":true},"toString":1}}}`;
  const reply = await ask("/mcp", post(call, { token }));
  expect(messagesOf(reply)).toMatchObject([
    {
      result: {
        isError: true,
        content: [{ text: expect.stringMatching(/^validation_failed: /) as string }, {}],
      },
    },
  ]);
});

it("a body over the bound is refused, with or without a token", async () => {
  const { ask, customer } = await openService();
  const { token } = await customer();
  const large = request("tools/call", { name: "check-usage", arguments: { pad: "x".repeat(262_144) } });
  const refused = await ask("/mcp", post(large, { token }));
  expect(refused.status).toBe(413);
  expect(envelopeOf(refused).code).toBe("payload_too_large");
  expect((await ask("/mcp", post(large))).status).toBe(401);
});

it("there is nothing to subscribe to", async () => {
  const { ask, customer } = await openService();
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
  const reply = await ask("/mcp", post(listen, { token, headers }));
  expect(messagesOf(reply)).toMatchObject([{ error: { code: -32603 } }]);
});

it("while it stops, calls that run are answered and new ones refused", async () => {
  const { service, ask, customer, renderer } = await openService();
  const { token } = await customer();
  const release = renderer.hold();
  const call = post(request("tools/call", { name: "take-screenshot", arguments: { url } }), { token });
  const running = ask("/mcp", call);
  await renderer.whenCalled(1);
  const stopped = service.stop();
  const refused = await ask("/mcp", call);
  expect(refused.status).toBe(503);
  expect(envelopeOf(refused).code).toBe("not_ready");
  release();
  expect(messagesOf(await running)).toMatchObject([{ result: { structuredContent: { cache: "MISS" } } }]);
  await stopped;
});

it("the log names the tool and its failure, and tells why where it is the service's own", async () => {
  const { ask, customer, renderer, lines, whenLogged } = await openService();
  const { token, id } = await customer();
  renderer.failNext(new SnapError("server_error", "Something went wrong.", { detail: "the disk is gone" }));
  const call = request("tools/call", { name: "create-pdf", arguments: { url } });
  const reply = await ask("/mcp", post(call, { token }));
  expect(reply.body.toString()).not.toContain("the disk is gone");
  await whenLogged("request");
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({
    level: "error",
    path: "/mcp",
    status: 200,
    tool: "create-pdf",
    code: "server_error",
    detail: "the disk is gone",
    account: id,
    request_id: reply.headers["x-request-id"],
  });
});

it("the figures count calls and what they captured", async () => {
  const { ask, customer } = await openService({ metrics: true });
  const { token } = await customer();
  for (let turn = 0; turn < 2; turn += 1) {
    const call = request("tools/call", { name: "create-pdf", arguments: { url } });
    await ask("/mcp", post(call, { token }));
  }
  const figures = (await ask("/metrics")).body.toString();
  expect(figures).toContain('snap_http_requests_total{route="/mcp",status="200",code=""} 2');
  expect(figures).toContain('snap_captures_total{cache="miss"} 1');
  expect(figures).toContain('snap_captures_total{cache="hit"} 1');
  expect(figures).toContain("snap_credits_total 1");
});

it("a client that goes away in mid-render: the rendering is kept and charged, and the log has it", async () => {
  const { service, ask, customer, renderer, lines, whenLogged } = await openService();
  const { token } = await customer({ credits: 10 });
  const release = renderer.hold();
  const gone = new AbortController();
  const call = post(request("tools/call", { name: "take-screenshot", arguments: { url } }), { token });
  const asked = fetch(`${service.origin}/mcp`, {
    method: "POST",
    headers: { ...call.headers, Authorization: `Bearer ${token}` },
    body: String(call.body),
    signal: gone.signal,
  }).then((response) => response.text());
  await renderer.whenCalled(1);
  gone.abort();
  await expect(asked).rejects.toThrow("aborted");
  // Another request, so that the service has had the time to see that the client is gone.
  await ask("/healthz");
  release();
  await whenLogged("request", 2);
  expect(lines.find(({ path }) => path === "/mcp")).toMatchObject({
    tool: "take-screenshot",
    cache: "miss",
    status: 200,
    client_gone: true,
  });
  expect((await ask("/v1/usage", { token })).headers["x-credits-remaining"]).toBe("9");
});

it("a connection that the client wants to close is closed behind the answer", async () => {
  const { tell, customer } = await openService();
  const { token } = await customer();
  const body = JSON.stringify(request("ping"));
  const answer = await tell(
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
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/^connection: close\r$/im);
});
