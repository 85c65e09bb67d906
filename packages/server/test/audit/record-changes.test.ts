import { createEngine } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import { recordChanges } from "../../src/audit/record-changes.ts";

it("recordChanges() throws the error of a failed change, even if the audit log fails too", async () => {
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
  });
  const revoke = (): Promise<never> => Promise.reject(new Error("disk is full"));
  const failing = { ...engine, tokens: { ...engine.tokens, revoke } };
  const announced: (readonly string[])[] = [];
  const failed = recordChanges(failing, {
    work: (watched) => watched.tokens.revoke(7),
    announce: async (subjects) => {
      announced.push(subjects);
      throw new Error("the change was made, but not added to the audit log: disk is full");
    },
  });
  await expect(failed).rejects.toThrow(/^disk is full$/);
  expect(announced).toEqual([["token 7"]]);
});
