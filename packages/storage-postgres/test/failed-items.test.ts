import { createEngine, SnapError } from "@snap/engine";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStorage, useServer } from "./server.ts";

describe("a batch item", { tags: ["postgres"] }, () => {
  const { newDatabase } = useServer();

  it("fails with a message in which U+FFFD replaces what PostgreSQL cannot store", async () => {
    const renderer = createFakeRenderer();
    const finished = Promise.withResolvers<unknown>();
    const engine = createEngine({
      storage: await openStorage({ url: await newDatabase() }),
      renderer,
      secretKey: "a key for this test",
      resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
      onItemFinished: ({ state }) => finished.resolve(state),
      onBackgroundError: (error) => finished.reject(error),
    });
    onTestFinished(() => engine.close());
    const { token } = await engine.accounts.ensure({ email: "ada@example.com" });
    const principal = await engine.authenticate(token);
    renderer.failNext(new SnapError("script_failed", "NUL \0 and half an emoji \uD83D"));
    await engine.batches.submit({ principal, document: { items: [{ url: "https://example.com/" }] } });
    engine.startWorker();
    expect(await finished.promise).toEqual({
      status: "failed",
      code: "script_failed",
      message: "NUL \uFFFD and half an emoji \uFFFD",
    });
  });
});
