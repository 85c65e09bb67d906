import { describe, expect, it } from "vitest";
import { countResults } from "../src/count-tests.ts";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((result) => ({ status: result })),
});

describe("countResults", () => {
  it("counts passed tests but not skipped ones", () => {
    const testResults = [file("passed", "passed", "passed", "skipped")];
    expect(countResults({ numPassedTests: 2, numFailedTests: 0, testResults })).toBe("2 passed, 0 failed");
  });

  it("counts a file that could not be loaded as a failure", () => {
    const testResults = [file("passed", "passed"), file("failed")];
    expect(countResults({ numPassedTests: 1, numFailedTests: 0, testResults })).toBe("1 passed, 1 failed");
  });

  it("counts a failed test once, but not its file", () => {
    const testResults = [file("failed", "passed", "failed")];
    expect(countResults({ numPassedTests: 1, numFailedTests: 1, testResults })).toBe("1 passed, 1 failed");
  });
});
