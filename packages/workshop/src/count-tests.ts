import { readFileSync } from "node:fs";

/** The part of vitest's JSON report that this file reads. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Summarizes a test run in the line that CI reads. A failed file without a failed test, such as one that
 * could not be loaded, counts as one failed test; the report's number of failed tests does not include it.
 *
 * @example
 * summarizeResults({ numPassedTests: 412, numFailedTests: 0, testResults: [] }); // "412 passed, 0 failed"
 */
export function summarizeResults({ numPassedTests, numFailedTests, testResults }: TestReport): string {
  const failedFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  );
  return `${numPassedTests} passed, ${numFailedTests + failedFiles.length} failed`;
}

if (import.meta.main) console.log(summarizeResults(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))));
