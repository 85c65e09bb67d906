import { beforeEach, describe, expect, it } from "vitest";
import type { Ability, Engine } from "../../src/index.ts";
import { openTestEngine } from "../open-test-engine.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

let engine: Engine;
let accountId: string;
beforeEach(async () => {
  engine = openTestEngine();
  const account = await engine.accounts.create({ email: "ada@example.com", verified: true });
  accountId = account.id;
});

describe("tokens.create", () => {
  it.each([
    [Number.NaN, "the expiry must be in whole milliseconds"],
    [NOW + 0.5, "the expiry must be in whole milliseconds"],
    [Infinity, "the expiry must be in whole milliseconds"],
    [NOW, "the expiry must be in the future"],
  ])(
    "rejects the expiry %s, which is not in whole milliseconds or not in the future",
    async (expiresAt, message) => {
      await expect(engine.tokens.create({ accountId, expiresAt })).rejects.toMatchObject({
        name: "AdminError",
        code: "invalid_value",
        message,
      });
      expect(await engine.tokens.list(accountId)).toEqual([]);
    },
  );

  it.each([[[]], [["PDF"]], [["screenshot", "typo"]]])(
    "rejects the abilities %j, because there are none or one is unknown",
    async (sent) => {
      const abilities = sent as readonly Ability[];
      await expect(engine.tokens.create({ accountId, abilities })).rejects.toMatchObject({
        code: "invalid_value",
        message: "a token needs one or more of these abilities: screenshot, pdf",
      });
    },
  );
});
