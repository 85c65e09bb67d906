import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CONTENT_SECURITY_POLICY, consoleFiles } from "../../src/index.ts";
import { handleAdmin } from "./admin-routes.ts";
import { envelope, type StubResponse, type Call, type Stub } from "./responses.ts";
import { createData } from "./data.ts";
import { drawPng } from "./png.ts";
import { handleService } from "./service-routes.ts";

export async function startStub(port = 0, base = "/console/", now = Date.now): Promise<Stub> {
  const files = consoleFiles();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://stub");
    if (url.pathname.startsWith(base)) return sendFile(url.pathname.slice(base.length), response);
    handle(request, url, response).catch(() => send(response, FAILURE));
  });
  const handle = async (request: IncomingMessage, url: URL, response: ServerResponse): Promise<void> => {
    const call = await readCall(
      request,
      url.pathname.slice(base.length - "console/".length - 1),
      url.searchParams,
    );
    stub.calls.push(call);
    // handled in every scenario, because the session decides which screens are shown
    const isSessionCall = call.path.startsWith("/admin/v1/sign-in") || call.path === "/admin/v1/session";
    if (stub.scenario === "hanging" && !isSessionCall) return;
    await stub.before(call);
    send(response, stub.scenario === "failing" && !isSessionCall ? FAILURE : respondTo(call));
  };
  const respondTo = (call: Call): StubResponse =>
    (call.path.startsWith("/admin/v1/") ? handleAdmin(stub, call) : handleService(stub, call)) ??
    envelope(404, "not_found", "Unknown path.");
  const sendFile = (path: string, response: ServerResponse): void => {
    const file = files.get(path);
    if (file === undefined) return send(response, envelope(404, "not_found", "Unknown path."));
    response.writeHead(200, {
      "Content-Type": file.contentType,
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "X-Content-Type-Options": "nosniff",
    });
    response.end(file.body);
  };
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stub: Stub = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    base,
    data: createData(now()),
    now,
    image: drawPng({ width: 1280, height: 800 }),
    scenario: "normal",
    before: async () => {},
    codes: new Set(["correct-code"]),
    sessions: new Set(),
    tokens: new Set(["7|holder-secret", "42|secret-of-token-42"]),
    calls: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

const FAILURE: StubResponse = envelope(500, "server_error", "The service failed. Report the request id.");

async function readCall(request: IncomingMessage, path: string, query: URLSearchParams): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    method: request.method ?? "GET",
    path,
    query,
    body: text === "" ? null : (JSON.parse(text) as Call["body"]),
    token: /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? null,
    cookie: /snap_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? null,
  };
}

function send(response: ServerResponse, { status, headers = {}, body }: StubResponse): void {
  const isJson = typeof body === "object" && !Buffer.isBuffer(body);
  response.writeHead(status, {
    ...(isJson && { "Content-Type": "application/json" }),
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(isJson ? JSON.stringify(body) : body);
}
