import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { periodAt } from "../../src/accounts/entitlement.ts";

const at = (text: string): number => Date.parse(text);

describe("periodAt", () => {
  it.each([
    ["2026-01-15T10:00:00Z", "2026-01-15T10:00:00Z", "2026-01-15T10:00:00Z", "2026-02-15T10:00:00Z"],
    ["2026-01-15T10:00:00Z", "2026-02-15T09:59:59.999Z", "2026-01-15T10:00:00Z", "2026-02-15T10:00:00Z"],
    ["2026-01-15T10:00:00Z", "2026-02-15T10:00:00Z", "2026-02-15T10:00:00Z", "2026-03-15T10:00:00Z"],
    ["2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"],
    ["2026-01-31T00:00:00Z", "2026-04-01T00:00:00Z", "2026-03-31T00:00:00Z", "2026-04-30T00:00:00Z"],
    ["2024-02-29T12:00:00Z", "2025-03-01T00:00:00Z", "2025-02-28T12:00:00Z", "2025-03-29T12:00:00Z"],
    ["2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "2026-12-31T23:59:59Z", "2027-01-31T23:59:59Z"],
    // an instant before the anchor belongs to the first period
    ["2026-06-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"],
  ])(
    "for the anchor %s and the instant %s, returns the period from %s to %s",
    (anchor, now, startedAt, resetsAt) => {
      expect(periodAt(at(anchor), at(now))).toEqual({ startedAt: at(startedAt), resetsAt: at(resetsAt) });
    },
  );

  it("assigns every instant after the anchor to exactly one period, without gaps", () => {
    const first = at("2020-01-01T00:00:00Z");
    fc.assert(
      fc.property(
        fc.integer({ min: first, max: at("2024-12-31T23:59:59Z") }),
        fc.integer({ min: 0, max: 10 * 366 * 86_400_000 }),
        (anchor, elapsed) => {
          const period = periodAt(anchor, anchor + elapsed);
          expect(period.startedAt).toBeLessThanOrEqual(anchor + elapsed);
          expect(period.resetsAt).toBeGreaterThan(anchor + elapsed);
          expect(periodAt(anchor, period.resetsAt).startedAt).toBe(period.resetsAt);
        },
      ),
    );
  });
});
