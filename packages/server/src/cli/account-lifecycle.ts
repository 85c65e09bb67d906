import type { Account, DeletedAccount, DeletionPreview } from "@snap/engine";
import type { Command } from "commander";
import { administer, withJson } from "./admin.ts";
import { accountDocument } from "./documents.ts";
import { formatCount, printJson, printLines } from "./output.ts";

interface DeleteOptions {
  readonly purge?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** What an account may do, in a word. */
export function stateOf({ suspendedAt, deletionStartedAt }: Account): "active" | "suspended" | "deleting" {
  if (deletionStartedAt !== null) return "deleting";
  return suspendedAt === null ? "active" : "suspended";
}

/** `snap-server accounts suspend`, `resume` and `delete`. */
export function addAccountLifecycle(accounts: Command): void {
  withJson(accounts.command("suspend"))
    .description("reject all requests of an account, including those for cached renderings and signed URLs")
    .argument("<account>", "id or email address of the account")
    .action((id: string, options: { json?: true }) =>
      administer(async ({ engine }) => {
        const account = await engine.accounts.suspend(id);
        if (options.json) return printJson(accountDocument(account));
        printLines(`Suspended account ${id}. Resume it: snap-server accounts resume ${id}`);
      }),
    );

  withJson(accounts.command("resume"))
    .description("end the suspension of an account")
    .argument("<account>", "id or email address of the account")
    .action((id: string, options: { json?: true }) =>
      administer(async ({ engine }) => {
        const account = await engine.accounts.resume(id);
        if (options.json) printJson(accountDocument(account));
        else printLines(`Account ${id} is active.`);
      }),
    );

  withJson(accounts.command("delete"))
    .description("show what would be deleted with an account; with --yes, delete it for good")
    .argument("<account>", "id or email address of the account")
    .option("--yes", "delete it, with its tokens, batches, documents and renderings")
    .option("--purge", "also delete its journal, which otherwise remains under the account's random id")
    .addHelpText(
      "after",
      `
A deletion cannot be undone. If it is interrupted, run it again. Copies and backups of the storage still contain the
account.`,
    )
    .action(deleteAccount);
}

function deleteAccount(id: string, { yes, json, ...options }: DeleteOptions): Promise<void> {
  const purge = options.purge === true;
  return administer(async ({ engine }) => {
    if (yes === true) {
      const deleted = await engine.accounts.delete(id, { purge });
      if (json) printJson({ deleted: true, ...deletedDocument(deleted) });
      else printLines(describeDeleted(deleted));
      return;
    }
    const preview = await engine.accounts.previewDeletion(id, { purge });
    const { account, tokens } = preview;
    if (json)
      return printJson({
        deleted: false,
        ...(account === null ? { id } : accountDocument(account)),
        token_ids: tokens.map((token) => token.id),
        purge,
      });
    printLines(
      ...describePreview(id, { preview, purge }),
      "This cannot be undone. Nothing is deleted without --yes.",
    );
  });
}

function describePreview(
  id: string,
  { preview: { account, tokens }, purge }: { preview: DeletionPreview; purge: boolean },
): readonly string[] {
  if (account === null) return [`Account ${id} is deleted already. Would delete its journal, which remains.`];
  return [
    `Would delete account ${id} (${account.email}), ${count(tokens.length, "token")}, and all its batches, documents and renderings.`,
    purge ? "Its journal would be deleted, too." : "Its journal would remain, without the email address.",
  ];
}

function describeDeleted({
  id,
  tokens,
  batches,
  documents,
  renderings,
  journalEntries,
}: DeletedAccount): string {
  const journal =
    journalEntries === null
      ? "Its journal remains, under this id."
      : `Deleted ${count(journalEntries, "journal entry", "journal entries")}.`;
  return (
    `Deleted account ${id} with ${count(tokens, "token")}, ${count(batches, "batch", "batches")}, ` +
    `${count(documents, "document")} and ${count(renderings, "rendering")}. ${journal}`
  );
}

function deletedDocument(deleted: DeletedAccount): Readonly<Record<string, unknown>> {
  const { journalEntries, ...rest } = deleted;
  return { ...rest, journal_entries: journalEntries };
}

function count(amount: number, one: string, many = `${one}s`): string {
  return `${formatCount(amount)} ${amount === 1 ? one : many}`;
}
