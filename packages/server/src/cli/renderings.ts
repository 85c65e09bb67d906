import type { Command } from "commander";
import { withAdminEngine, withJson } from "./admin.ts";
import { formatNoun } from "../format.ts";
import { printJson, printLines } from "./output.ts";

interface PurgeOptions {
  readonly account?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** `snap-server renderings`: deletes cached renderings. */
export function addRenderings(program: Command): void {
  const renderings = program.command("renderings").description("manage cached renderings");

  withJson(renderings.command("purge"))
    .description("delete an account's cached renderings or, with --yes, those of all accounts")
    .option("--account <account>", "delete only this account's renderings; its id or email address")
    .option("--yes", "without --account, delete the renderings of all accounts")
    .addHelpText(
      "after",
      `
Afterwards, opening a link to a deleted rendering, such as one in a batch result, renders the page again and costs a
credit.`,
    )
    .action(purge);
}

function purge({ account, yes, json }: PurgeOptions): Promise<void> {
  return withAdminEngine(async ({ engine }) => {
    if (account === undefined && yes !== true) {
      if (json) return printJson({ purged: false });
      return printLines(
        "Nothing was deleted. To delete the cached renderings of all accounts, pass --yes; to delete those of one account, pass --account ID.",
      );
    }
    // throws for an unknown id, for which a purge would report 0 renderings
    if (account !== undefined) await engine.accounts.get(account);
    const renderings = await engine.purgeRenderings({ accountId: account ?? null });
    if (json) return printJson({ purged: true, renderings });
    printLines(`Deleted ${formatNoun(renderings, "rendering")}.`);
  });
}
