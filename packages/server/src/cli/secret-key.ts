import type { TokenRecord } from "@snap/engine/ports";
import type { Command } from "commander";
import { loadStorageConfig, withAudit, withJson } from "./admin.ts";
import { toAdminToken } from "../admin/json-bodies.ts";
import { formatNoun } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";

interface ReplaceOptions {
  readonly yes?: true;
  readonly json?: true;
}

/** `snap-server secret-key`: recovers from the loss of the key that encrypts the signing secrets. */
export function addSecretKey(program: Command): void {
  const secretKey = program.command("secret-key").description("recover from the loss of the secret key");

  withJson(secretKey.command("replace"))
    .description(
      "list the tokens whose signing secrets the current key does not decrypt; with --yes, give them new signing secrets",
    )
    .option("--yes", "replace the signing secrets; URLs signed with the previous ones stop working")
    .addHelpText(
      "after",
      `
Stop the service before you pass --yes: it would keep using the previous key. If the data folder's key file is
missing, --yes creates a new one. With PostgreSQL, first set a new SNAP_SECRET_KEY (openssl rand -hex 32) for every
process, and start them afterwards.
The tokens themselves stay valid: only signed URLs, links and webhooks depend on signing secrets.
Unfinished batch items with headers, cookies or basicAuth fail, because the key encrypts these
values. Pages that were rendered with such values are rendered again when they are next requested.`,
    )
    .action(replace);
}

async function replace(options: ReplaceOptions): Promise<void> {
  const config = loadStorageConfig();
  const { openEngineWithNewKey } = await import("../wire.ts");
  const replaces = options.yes === true;
  const dryRun = !replaces;
  const { engine, hasKey, pinKey } = await openEngineWithNewKey(config, { dryRun });
  const tokens = await withAudit(engine, async (watched) => {
    const lost = await watched.tokens.replaceLostSecrets({ dryRun });
    if (replaces) await pinKey();
    return lost;
  });
  if (options.json) return printJson({ replaced: replaces, tokens: tokens.map(toAdminToken) });
  if (tokens.length === 0 && !hasKey)
    return printLines("There is no secret key, and no token needs one. Create one with --yes.");
  if (tokens.length === 0) return printLines("The secret key decrypts every token's signing secret.");
  const count = formatNoun(tokens.length, "token");
  const loss = hasKey
    ? `The secret key does not decrypt the signing secrets of ${count}. If the right key is lost`
    : `There is no secret key to decrypt the signing secrets of ${count}. If it is lost`;
  printLines(
    formatTable([["TOKEN", "ACCOUNT"], ...tokens.map(tokenRow)]),
    "",
    replaces
      ? `Gave ${count} a new signing secret. Show it with: snap-server tokens reveal ID`
      : `${loss}, replace them with --yes.`,
  );
}

function tokenRow({ id, accountId }: TokenRecord): readonly [string, string] {
  return [String(id), accountId];
}
