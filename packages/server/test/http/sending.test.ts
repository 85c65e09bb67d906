import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { envelopeOf, openService, type TestService } from "./open-service.ts";

const url = "https://example.com/";

/** An account can have two renderings this large in transit; the memory cache has room for one. */
const LARGE_BYTES = 66_900_000;

/** A service whose renderings are all large. */
async function openLargeService(): Promise<TestService> {
  const opened = await openService();
  const page = { title: "", finalUrl: url, pages: null };
  const file = { contentType: "image/png", targetStatus: 200, notes: [], page } as const;
  vi.spyOn(opened.renderer, "render").mockImplementation(async () => ({
    ...file,
    bytes: Buffer.alloc(LARGE_BYTES),
  }));
  return opened;
}

/** Sends `GET /v1/snap`, and stops reading once the response begins. */
async function receiveSlowly({ service }: TestService, token: string, path = "/"): Promise<Socket> {
  const { hostname, port } = new URL(service.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.write(
    `GET /v1/snap?url=https://example.com${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, "readable");
  return socket;
}

it("limits the memory for renderings that wait for one account's slow clients", async () => {
  const service = await openLargeService();
  const [slow, other] = await Promise.all([service.customer(), service.customer()]);
  const socket = await receiveSlowly(service, slow.token);
  await receiveSlowly(service, slow.token, "/2");

  const shared = await service.snap({ url: "https://example.com/2" }, { token: slow.token });
  expect(shared.status).toBe(200); // the memory cache has the bytes that are being sent
  const cached = await service.snap({ url }, { token: slow.token });
  expect(cached.status).toBe(503);
  expect(cached.headers["retry-after"]).toBe("2");
  expect(envelopeOf(cached)).toMatchObject({
    code: "upstream_rate_limited",
    message: "Too many renderings are being sent. Receive the other responses, or retry shortly.",
  });
  const fresh = await service.snap({ url, fullPage: "true" }, { token: slow.token });
  expect(fresh.status).toBe(503);
  expect((await service.snap({ url }, { token: other.token })).status).toBe(200);

  const usage = await service.send("/v1/usage", { token: slow.token });
  expect(usage.headers["x-credits-remaining"]).toBe("998"); // the rejected render costs nothing
  const unchanged = { "If-None-Match": "*" };
  expect((await service.snap({ url }, { token: slow.token, headers: unchanged })).status).toBe(304);
  const facts = await service.snap({ url, answer: "json" }, { token: slow.token });
  expect(facts.status).toBe(200);

  const loggedCount = service.lines.filter(({ msg }) => msg === "request").length;
  socket.destroy();
  await service.whenLogged("request", loggedCount + 1);
  expect((await service.snap({ url }, { token: slow.token })).status).toBe(200);
});

it("rejects a tool call while an account's slow clients use all of its memory", async () => {
  const service = await openLargeService();
  const { token } = await service.customer();
  await receiveSlowly(service, token);
  await receiveSlowly(service, token, "/2");
  const call = { name: "take-screenshot", arguments: { url } };
  const reply = await service.send("/mcp", {
    method: "POST",
    token,
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });
  expect(reply.body.toString()).toContain("upstream_rate_limited: Too many renderings are being sent.");
});
