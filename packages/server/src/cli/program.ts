import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { addAccounts } from "./accounts.ts";
import { addBatches } from "./batches.ts";
import { addDoctor } from "./doctor.ts";
import { addMigrate } from "./migrate.ts";
import { addRender } from "./render.ts";
import { addServe } from "./serve-command.ts";
import { addTokens } from "./tokens.ts";

/** The command line. Faults of usage are thrown, never printed here. */
export function createProgram(): Command {
  const program = new Command("snap-server")
    .description("Renders web pages: a URL in; PNG, JPEG, WebP or PDF out.")
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

It is set up by SNAP_* variables: snap-server serve --help lists them.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.`,
    );
  addServe(program);
  addAccounts(program);
  addTokens(program);
  addBatches(program);
  addRender(program);
  addMigrate(program);
  addDoctor(program);
  return program;
}
