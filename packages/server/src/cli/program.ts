import { Command, Help, type Option } from "commander";
import { describeVersion } from "../version.ts";
import { resolveAccounts } from "./account-reference.ts";
import { addAccounts } from "./accounts.ts";
import { addAudit } from "./audit.ts";
import { trackRunningCommand } from "./audit-change.ts";
import { addBackup } from "./backup.ts";
import { addBatches } from "./batches.ts";
import { addCompletion } from "./completion.ts";
import { addConsole } from "./console.ts";
import { addDatabase } from "./database.ts";
import { addDoctor } from "./doctor.ts";
import { EXIT_CODES, explainFailure, type Failure } from "./errors.ts";
import { addLedger } from "./ledger.ts";
import { addLists } from "./lists.ts";
import { addMigrate } from "./migrate.ts";
import { printOutcome } from "./output.ts";
import { addRender } from "./render.ts";
import { addRenderings } from "./renderings.ts";
import { addSecretKey } from "./secret-key.ts";
import { addServe } from "./serve-command.ts";
import { addTokens } from "./tokens.ts";
import { addWebhooks } from "./webhooks.ts";

/** Runs the command line and sets the exit code. */
export async function main(): Promise<void> {
  process.stdout.on("error", explainLostOutput);
  process.stderr.on("error", () => {});
  await runCommand();
}

/** Runs the command of `process.argv` and sets the exit code. */
export async function runCommand(): Promise<void> {
  let failure: Failure | null = null;
  try {
    await createProgram()
      .hook("preAction", (_, command) => resolveAccounts(command))
      .parseAsync(expandHelp(process.argv.slice(2)), { from: "user" });
  } catch (error) {
    failure = explainFailure(error);
  }
  if (failure !== null) process.exitCode = failure.exitCode;
  printOutcome(failure);
}

/** Commander's `help` ignores all words but the first, as in `help tokens rotate`. */
function expandHelp(args: string[]): string[] {
  const [first, ...words] = args;
  return first === "help" && words.length > 1 ? [...words, "--help"] : args;
}

/**
 * A command that prints text does not fail when its reader leaves: `head -1` closes the pipe early,
 * and a closed terminal also sends SIGHUP, which stops serve. It fails if the output is lost for
 * another reason, such as a full disk.
 */
function explainLostOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE" || code === "EIO") return;
  process.exitCode ??= EXIT_CODES.failure;
  process.stderr.write(`error: cannot write to stdout: ${message}\n`);
}

/** Creates the command line. It throws usage errors instead of printing them. */
export function createProgram(): Command {
  const program = new Command("snap-server")
    .description("Renders web pages to PNG, JPEG, WebP, AVIF and PDF.")
    .version(describeVersion())
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ optionDescription: describeOption })
    .addHelpText(
      "after",
      `
Examples:
  snap-server serve --dev
  snap-server accounts create --email you@example.com --plan starter
  snap-server tokens create --account acct_0123456789abcdef0123 --expires-in 30d
  snap-server render https://example.com -o example.png --full-page
  snap-server doctor

Every command that takes an account accepts its id or its email address.
SNAP_* environment variables configure the service; snap-server serve --help lists them.
With --json, an error is a JSON object on stderr: {"error":{"code","message","advice"}}.
Exit codes: 0 success, 1 failure, 2 invalid usage or configuration.`,
    );
  trackRunningCommand(program);
  addServe(program);
  addAccounts(program);
  addTokens(program);
  addBatches(program);
  addWebhooks(program);
  addConsole(program);
  addLedger(program);
  addRender(program);
  addRenderings(program);
  addLists(program);
  addSecretKey(program);
  addAudit(program);
  addDatabase(program);
  addBackup(program);
  addMigrate(program);
  addDoctor(program);
  addCompletion(program);
  return program;
}

/** Marks the required options. */
function describeOption(this: Help, option: Option): string {
  const description = Help.prototype.optionDescription.call(this, option);
  return option.mandatory ? `${description} (required)` : description;
}
