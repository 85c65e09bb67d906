import { describe, expect, it } from "vitest";
import { entitlementOf } from "../../src/accounts/entitlement.ts";
import { BUILT_IN_PLANS, parsePlans } from "../../src/accounts/plans.ts";
import type { Account } from "../../src/ports/accounts.ts";

const account: Account = {
  id: "a",
  email: "ada@example.com",
  emailVerifiedAt: 0,
  planSlug: "starter",
  creditsPerPeriod: null,
  requestsPerMinute: null,
  createdAt: Date.parse("2026-01-01T00:00:00Z"),
  suspendedAt: null,
  deletionStartedAt: null,
};
const now = Date.parse("2026-01-02T00:00:00Z");

describe("plans", () => {
  it("have built-in defaults", () => {
    expect(BUILT_IN_PLANS).toEqual([
      { slug: "starter", name: "Starter", creditsPerPeriod: 1000, requestsPerMinute: 20 },
      { slug: "growth", name: "Growth", creditsPerPeriod: 10000, requestsPerMinute: 60 },
      { slug: "scale", name: "Scale", creditsPerPeriod: 100000, requestsPerMinute: 300 },
    ]);
  });

  it("are validated, and every problem is listed", () => {
    const plans = [{ slug: "tiny", name: "Tiny", creditsPerPeriod: 5, requestsPerMinute: 20 }];
    expect(parsePlans(plans)).toEqual(plans);
    expect(() =>
      parsePlans([{ slug: "Bad Slug", name: "", creditsPerPeriod: -1, requestsPerMinute: 19 }]),
    ).toThrow(/0\.slug.*0\.name.*0\.creditsPerPeriod.*0\.requestsPerMinute: must be at least 20/);
    expect(() => parsePlans([])).toThrow(/at least one/);
    expect(() => parsePlans([plans[0], plans[0]])).toThrow(/repeat/);
    expect(() => parsePlans([{ ...plans[0], slug: "none" }])).toThrow(/stands for no plan/);
  });
});

describe("entitlementOf", () => {
  it("returns the plan's limits, or the account's overrides", () => {
    expect(entitlementOf(account, BUILT_IN_PLANS, now)).toMatchObject({
      granted: 1000,
      requestsPerMinute: 20,
    });
    const overridden = { ...account, creditsPerPeriod: 7, requestsPerMinute: 90 };
    expect(entitlementOf(overridden, BUILT_IN_PLANS, now)).toMatchObject({
      granted: 7,
      requestsPerMinute: 90,
    });
  });

  it.each([null, "withdrawn"])("grants neither credits nor a period if the plan is %s", (planSlug) => {
    expect(entitlementOf({ ...account, planSlug, creditsPerPeriod: 7 }, BUILT_IN_PLANS, now)).toEqual({
      plan: null,
      period: null,
      granted: 0,
      requestsPerMinute: 20,
    });
  });
});
