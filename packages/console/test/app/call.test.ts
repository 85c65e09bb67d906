import { afterEach, expect, it, vi } from "vitest";
import { createApiClient } from "../../src/app/api/call.ts";

const BASE = "https://snap.example.com/v1";

afterEach(() => {
  vi.unstubAllGlobals();
});

function respondWith(body: BodyInit, init?: ResponseInit): void {
  vi.stubGlobal("fetch", async () => new Response(body, init));
}

it("a proxy's page is reported as an unexpected response, not as an unreachable service", async () => {
  respondWith("<h1>Sign in</h1>", { headers: { "Content-Type": "text/html" } });
  await expect(createApiClient(BASE).read("/usage")).rejects.toMatchObject({
    name: "ApiFailure",
    code: "unexpected_response",
    status: 200,
  });
  respondWith("<h1>Bad gateway</h1>", { status: 502 });
  await expect(createApiClient(BASE).read("/usage")).rejects.toMatchObject({
    code: "unexpected_response",
    status: 502,
  });
  respondWith("null", { status: 502 });
  await expect(createApiClient(BASE).read("/usage")).rejects.toMatchObject({
    code: "unexpected_response",
    status: 502,
  });
});

it("keeps only the problems that are lists of messages", async () => {
  const errors = { url: ["is required"], proxy: "denied", other: null };
  respondWith(JSON.stringify({ code: "denied", message: "No.", errors }), { status: 422 });
  const failure = await createApiClient(BASE)
    .read("/usage")
    .catch((error: unknown) => error);
  expect(failure).toHaveProperty("errors", { url: ["is required"] });
});

it("a body that is cut off is reported as a lost connection, not as an unexpected response", async () => {
  const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError("lost")) });
  respondWith(cut);
  await expect(createApiClient(BASE).read("/usage")).rejects.toThrow(TypeError);
});

it("calls onUnauthorized only for a rejected session or token", async () => {
  const onUnauthorized = vi.fn<() => void>();
  const { read } = createApiClient(BASE, { token: "7|secret", onUnauthorized });
  respondWith(JSON.stringify({ code: "unauthenticated", message: "Unknown token." }), { status: 401 });
  await expect(read("/usage")).rejects.toMatchObject({ code: "unauthenticated", status: 401 });
  expect(onUnauthorized).toHaveBeenCalledOnce();
  respondWith(JSON.stringify({ code: "forbidden", message: "No." }), { status: 403 });
  await expect(read("/usage")).rejects.toMatchObject({ code: "forbidden", status: 403 });
  expect(onUnauthorized).toHaveBeenCalledOnce();
});
