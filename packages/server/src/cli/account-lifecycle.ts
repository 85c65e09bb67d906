import type { AdminAccount, AdminDeletedAccount, AdminDeletionPreview } from "@snap/protocol";
import type { Command } from "commander";
import { withOperations, withJson } from "./admin.ts";
import { formatNoun } from "../format.ts";
import { printJson, printLines } from "./output.ts";

interface DeleteOptions {
  readonly purge?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** An account's state, in one word. */
export function stateOf(account: AdminAccount): "active" | "suspended" | "deleting" {
  if (account.deletion_started_at !== null) return "deleting";
  return account.suspended_at === null ? "active" : "suspended";
}

/** Commands that change an account, and take no other argument. */
const STATE_COMMANDS = [
  {
    name: "verify",
    description: "mark an account's email address as verified",
    describe: ({ email }: AdminAccount) => `${email} is verified.`,
  },
  {
    name: "suspend",
    description: "reject all requests from an account, including those for cached renderings and signed URLs",
    describe: ({ id }: AdminAccount) =>
      `Suspended account ${id}. Resume it: snap-server accounts resume ${id}`,
  },
  {
    name: "resume",
    description: "end an account's suspension",
    describe: ({ id }: AdminAccount) => `Account ${id} is active.`,
  },
] as const;

/** `snap-server accounts verify`, `suspend`, `resume` and `delete`. */
export function addAccountLifecycle(accounts: Command): void {
  for (const { name, description, describe } of STATE_COMMANDS)
    withJson(accounts.command(name))
      .description(description)
      .argument("<account>", "id or email address of the account")
      .action((id: string, options: { json?: true }) =>
        withOperations(async ({ operations }) => {
          const account = await operations.accounts[name](id);
          if (options.json) printJson(account);
          else printLines(describe(account));
        }),
      );

  withJson(accounts.command("delete"))
    .description("show what would be deleted with an account; with --yes, delete it permanently")
    .argument("<account>", "id or email address of the account")
    .option("--yes", "delete it, with its tokens, batches, documents, renderings and history")
    .option("--purge", "also delete its journal, which otherwise remains under the account's random id")
    .addHelpText(
      "after",
      `
A deletion cannot be undone. If it is interrupted, run it again. Copies and backups of the storage still contain the
account.`,
    )
    .action(deleteAccount);
}

function deleteAccount(id: string, { yes, json, purge }: DeleteOptions): Promise<void> {
  return withOperations(async ({ operations }) => {
    const result = await operations.accounts.delete(id, { purge: purge === true, dry_run: yes !== true });
    if (json) printJson(result);
    else if (result.deleted) printLines(describeDeleted(result));
    else printLines(...describePreview(result), "This cannot be undone. Nothing is deleted without --yes.");
  });
}

function describePreview(preview: AdminDeletionPreview): readonly string[] {
  const { id, token_ids: tokens, purge } = preview;
  if (!("email" in preview)) return [`Account ${id} is already deleted. Would delete its remaining journal.`];
  return [
    `Would delete account ${id} (${preview.email}), ${formatNoun(tokens.length, "token")}, and all its batches, documents, renderings and history.`,
    purge ? "Its journal would also be deleted." : "Its journal would remain, without the email address.",
  ];
}

function describeDeleted({
  id,
  tokens,
  batches,
  documents,
  renderings,
  journal_entries: journalEntries,
}: AdminDeletedAccount): string {
  const journal =
    journalEntries === null
      ? "Its journal remains under this id."
      : `Deleted ${formatNoun(journalEntries, "journal entry", "journal entries")}.`;
  return (
    `Deleted account ${id} with ${formatNoun(tokens, "token")}, ${formatNoun(batches, "batch", "batches")}, ` +
    `${formatNoun(documents, "document")} and ${formatNoun(renderings, "rendering")}. ${journal}`
  );
}
