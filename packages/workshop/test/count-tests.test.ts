import { describe, expect, it } from "vitest";
import { summarizeResults } from "../src/count-tests.ts";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((result) => ({ status: result })),
});

describe("summarizeResults", () => {
  it("counts passed tests but not skipped ones", () => {
    const testResults = [file("passed", "passed", "passed", "skipped")];
    expect(summarizeResults({ numPassedTests: 2, numFailedTests: 0, testResults })).toBe(
      "2 passed, 0 failed",
    );
  });

  it("counts a file that could not be loaded as a failure", () => {
    const testResults = [file("passed", "passed"), file("failed")];
    expect(summarizeResults({ numPassedTests: 1, numFailedTests: 0, testResults })).toBe(
      "1 passed, 1 failed",
    );
  });

  it("counts a failed test once, but not its file", () => {
    const testResults = [file("failed", "passed", "failed")];
    expect(summarizeResults({ numPassedTests: 1, numFailedTests: 1, testResults })).toBe(
      "1 passed, 1 failed",
    );
  });
});
