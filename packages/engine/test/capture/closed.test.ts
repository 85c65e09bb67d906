import { createFakeRenderer } from "@snap/testing";
import { expect, it } from "vitest";
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
