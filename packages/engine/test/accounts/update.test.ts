import { expect, it } from "vitest";
import { openTestEngine } from "../open-test-engine.ts";

it("an account update ignores undefined fields", async () => {
  const { accounts } = openTestEngine();
  const account = await accounts.create({ email: "ada@example.com", planSlug: "starter", verified: true });
  const change = { planSlug: undefined, creditsPerPeriod: 5 } as unknown as Parameters<
    typeof accounts.update
  >[1];
  expect(await accounts.update(account.id, change)).toEqual({ ...account, creditsPerPeriod: 5 });
});
