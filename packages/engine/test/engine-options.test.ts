import { expect, it } from "vitest";
import { openTestEngine } from "./open-test-engine.ts";

it.each([3_024_000_000, null])("createEngine accepts a retention of the journal of %s ms", async (ms) => {
  await expect(openTestEngine({ journalRetentionMs: ms }).close()).resolves.toBeUndefined();
});

it.each([3_023_999_999, Number.POSITIVE_INFINITY, Number.NaN])(
  "createEngine rejects a retention of the journal of %s ms",
  (ms) => {
    expect(() => openTestEngine({ journalRetentionMs: ms })).toThrow(
      new RangeError("journalRetentionMs must be an integer of at least 3024000000 (35 days), or null"),
    );
  },
);

it.each([1, 7_776_000_000, null])("createEngine accepts a retention of the history of %s ms", async (ms) => {
  await expect(openTestEngine({ historyRetentionMs: ms }).close()).resolves.toBeUndefined();
});

it.each([0, 7_776_000_001, Number.NaN])("createEngine rejects a retention of the history of %s ms", (ms) => {
  expect(() => openTestEngine({ historyRetentionMs: ms })).toThrow(
    new RangeError("historyRetentionMs must be an integer from 1 to 7776000000 (90 days), or null"),
  );
});
