import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { addAccounts } from "./accounts.ts";
import { addAudit } from "./audit.ts";
import { nameRunningCommand } from "./audit-change.ts";
import { addBatches } from "./batches.ts";
import { addDatabase } from "./database.ts";
import { addDoctor } from "./doctor.ts";
import { explainFailure, EXIT_CODES } from "./errors.ts";
import { addMigrate } from "./migrate.ts";
import { printFailure } from "./output.ts";
import { addRender } from "./render.ts";
import { addSecretKey } from "./secret-key.ts";
import { addServe } from "./serve-command.ts";
import { addTokens } from "./tokens.ts";

/** Runs the command line and sets the exit code. */
export async function main(): Promise<void> {
  // The reader of a pipe may stop early: `snap-server accounts list | head -1`.
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

/** Creates the command line. It throws usage errors instead of printing them. */
export function createProgram(): Command {
  const program = new Command("snap-server")
    .description("Renders web pages to PNG, JPEG, WebP and PDF.")
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .addHelpText(
      "after",
      `
Examples:
  snap-server serve --dev
  snap-server accounts create --email you@example.com --plan starter
  snap-server tokens create --account acct_0123456789abcdef0123 --expires-in 30d
  snap-server render https://example.com -o example.png --full-page
  snap-server doctor

SNAP_* environment variables configure it; snap-server serve --help lists them.
Exit codes: 0 success, 1 failure, 2 invalid usage or configuration.`,
    );
  nameRunningCommand(program);
  addServe(program);
  addAccounts(program);
  addTokens(program);
  addBatches(program);
  addRender(program);
  addSecretKey(program);
  addAudit(program);
  addDatabase(program);
  addMigrate(program);
  addDoctor(program);
  return program;
}
