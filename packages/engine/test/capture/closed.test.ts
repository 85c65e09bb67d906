import {
  createFakeClock,
  createFakeRenderer,
  createFakeWebhookSender,
  createMemoryStorage,
} from "@snap/testing";
import { expect, it } from "vitest";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { openTestEngine } from "../open-test-engine.ts";

it("an engine rejects callers with not_ready once it is closing, but finishes running captures", async () => {
  const renderer = createFakeRenderer();
  const engine = openTestEngine({ renderer });
  const { token } = await engine.accounts.ensure({ email: "ada@example.com" });
  const principal = await engine.authenticate(token);
  const parameters = { url: "https://example.com/" };
  const release = renderer.hold();
  const running = engine.capture({ principal, parameters });
  await renderer.whenCalled(1);
  const closing = engine.close();
  const closed = {
    code: "not_ready",
    message: "The engine is closed; stop accepting requests before you close it.",
  };
  expect(() => engine.startWorker()).toThrow(closed.message);
  await expect(engine.authenticate(token)).rejects.toMatchObject(closed);
  await expect(engine.authenticateSigned("tokenId=1")).rejects.toMatchObject(closed);
  await expect(engine.capture({ principal, parameters })).rejects.toMatchObject(closed);
  release();
  await expect(running).resolves.toMatchObject({ cache: "miss" });
  await closing;
  await expect(engine.capture({ principal, parameters })).rejects.toMatchObject(closed);
  expect(renderer.calls).toHaveLength(1);
});

it.each([
  ["the running deletion", 1],
  ["the running write of a token's use", 0],
])("an engine closes its storage after %s, and starts no other deletion", async (_work, first) => {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  const storage = createMemoryStorage();
  const [pruned, recorded] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const started: string[] = [];
  const engine = openTestEngine({
    storage: {
      ...storage,
      renderings: { ...storage.renderings, prune: () => (started.push("prune"), pruned.promise) },
      batches: { ...storage.batches, prune: async () => started.push("prune next") },
      tokens: { ...storage.tokens, recordUse: () => (started.push("record use"), recorded.promise) },
      close: async () => void started.push("close"),
    },
    clock,
  });
  const { token } = await engine.accounts.ensure({ email: "ada@example.com" });
  await engine.authenticate(token);
  clock.advance(60_000);
  expect(started).toEqual(["record use", "prune"]);
  const closing = engine.close();
  await flushMicrotasks();
  const end = [() => pruned.resolve(1), () => recorded.resolve()];
  end[first]?.();
  await flushMicrotasks();
  expect(started).toEqual(["record use", "prune"]);
  end[1 - first]?.();
  await closing;
  expect(started).toEqual(["record use", "prune", "close"]);
});

it("an engine is closed only once, and every caller of close() waits for it", async () => {
  const storage = createMemoryStorage();
  const recorded = Promise.withResolvers<void>();
  let closes = 0;
  const engine = openTestEngine({
    storage: {
      ...storage,
      tokens: { ...storage.tokens, recordUse: () => recorded.promise },
      close: async () => void (closes += 1),
    },
  });
  await engine.authenticate((await engine.accounts.ensure({ email: "ada@example.com" })).token);
  let closed = 0;
  const closing = [engine.close(), engine.close()].map((call) => call.then(() => (closed += 1)));
  await flushMicrotasks();
  expect([closes, closed]).toEqual([0, 0]);
  recorded.resolve();
  await Promise.all(closing);
  await engine.close();
  expect([closes, closed]).toEqual([1, 2]);
});

it("an engine closes everything even if the webhook sender and the renderer cannot be closed", async () => {
  const closed: string[] = [];
  const closeWith = (name: string) => async (): Promise<void> => {
    closed.push(name);
    if (name !== "storage") throw new Error(`the ${name} cannot be closed`);
  };
  const engine = openTestEngine({
    webhookSender: { ...createFakeWebhookSender(), close: closeWith("webhook sender") },
    renderer: { ...createFakeRenderer(), close: closeWith("renderer") },
    storage: { ...createMemoryStorage(), close: closeWith("storage") },
  });
  await expect(engine.close()).rejects.toThrow("the webhook sender cannot be closed");
  expect(closed).toEqual(["webhook sender", "renderer", "storage"]);
});
