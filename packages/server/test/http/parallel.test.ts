import { expect, it } from "vitest";
import { openService, type Reply } from "./open-service.ts";

const url = "https://example.com/";

function countBy(replies: readonly Reply[], keyOf: (reply: Reply) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reply of replies) counts[keyOf(reply)] = (counts[keyOf(reply)] ?? 0) + 1;
  return counts;
}

it("50 concurrent requests with one credit: one gets 200, 49 get 402", async () => {
  const { customer, snap, engine } = await openService();
  const { id, token } = await customer({ credits: 1 });
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => snap({ url: `${url}${index}` }, { token })),
  );
  expect(countBy(replies, ({ status }) => String(status))).toEqual({ 200: 1, 402: 49 });
  expect(await engine.credits(await engine.accounts.get(id))).toMatchObject({ used: 1, remaining: 0 });
});

it("50 concurrent identical requests: one MISS, 49 HIT, one credit, one render", async () => {
  const { customer, snap, engine, renderer } = await openService();
  const { id, token } = await customer();
  const release = renderer.hold();
  const pending = Array.from({ length: 50 }, () => snap({ url }, { token }));
  await renderer.whenCalled(1);
  release();
  const replies = await Promise.all(pending);
  expect(countBy(replies, ({ headers }) => String(headers["x-cache"]))).toEqual({ MISS: 1, HIT: 49 });
  expect(countBy(replies, ({ status }) => String(status))).toEqual({ 200: 50 });
  expect(renderer.calls).toHaveLength(1);
  expect((await engine.credits(await engine.accounts.get(id))).used).toBe(1);
});

it("100 concurrent requests with a limit of 20: exactly 20 pass", async () => {
  const { customer, snap } = await openService();
  const { token } = await customer({ requestsPerMinute: 20 });
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => snap({ url: `${url}${index}` }, { token })),
  );
  expect(countBy(replies, ({ status }) => String(status))).toEqual({ 200: 20, 429: 80 });
});

it("caches a render whose client disconnects, and charges for it", async () => {
  const { customer, snap, engine, renderer, service } = await openService();
  const { id, token } = await customer();
  const release = renderer.hold();
  const client = new AbortController();
  const pending = fetch(`${service.origin}/v1/snap?url=${encodeURIComponent(url)}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: client.signal,
  });
  await renderer.whenCalled(1);
  client.abort();
  await expect(pending).rejects.toThrow("aborted");
  release();
  const reply = await snap({ url }, { token });
  expect(reply.headers["x-cache"]).toBe("HIT");
  expect((await engine.credits(await engine.accounts.get(id))).used).toBe(1);
});
