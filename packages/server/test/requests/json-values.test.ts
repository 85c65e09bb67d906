import { expect, it, vi } from "vitest";
import { hasMoreValuesThan } from "../../src/requests/json-values.ts";

it.each([
  ["0", 1],
  ["[]", 2],
  ['{"a":[1,2]}', 4],
  ['["a,[{","\\"\\\\",""]', 4],
  ['["\\', 2],
])("counts the values in %s: %i", (json, count) => {
  expect(hasMoreValuesThan(Buffer.from(json), count)).toBe(false);
  expect(hasMoreValuesThan(Buffer.from(json), count - 1)).toBe(true);
});

it("does not search the text for each escaped quote", () => {
  const json = Buffer.from(`{"html":"${'\\"'.repeat(100_000)}"}`);
  const indexOf = vi.spyOn(json, "indexOf");
  expect(hasMoreValuesThan(json, 2)).toBe(false);
  expect(indexOf.mock.calls.length).toBeLessThan(10);
});
