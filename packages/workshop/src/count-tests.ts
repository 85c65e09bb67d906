import { readFileSync } from "node:fs";

/** The part of vitest's JSON report that is read here. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Sums up a test run in the one line that CI reads. A file that failed with no failed test in it,
 * such as one that could not be loaded, counts as a failure: its tests are in no other number.
 *
 * @example
 * countResults({ numPassedTests: 412, numFailedTests: 0, testResults: [] }); // "412 passed, 0 failed"
 */
export function countResults({ numPassedTests, numFailedTests, testResults }: TestReport): string {
  const failedFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  );
  return `${numPassedTests} passed, ${numFailedTests + failedFiles.length} failed`;
}

if (import.meta.main) console.log(countResults(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))));
