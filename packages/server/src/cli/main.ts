import { explainFailure, EXIT_CODES } from "./errors.ts";
import { printFailure } from "./output.ts";
import { createProgram } from "./program.ts";

/** Runs the command line; the exit code tells how it ended. */
export async function main(): Promise<void> {
  // Whoever reads may stop early: `snap-server accounts list | head -1`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(EXIT_CODES.ok);
  });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    const failure = explainFailure(error);
    if (failure === null) return;
    printFailure(failure, { json: process.argv.includes("--json") });
    process.exitCode = failure.exitCode;
  }
}
