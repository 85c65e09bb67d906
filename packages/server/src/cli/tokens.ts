import { AdminError, type Ability } from "@snap/engine";
import { ABILITIES } from "@snap/engine/internals";
import type { PageRequest } from "@snap/engine/ports";
import type { AdminMintedToken, AdminToken } from "@snap/protocol";
import { Option, type Command } from "commander";
import { toAdminCountedList, pageOf } from "../admin/lists.ts";
import type { Config } from "../config.ts";
import { withOperations, withJson } from "./admin.ts";
import { curlCommand } from "./curl-command.ts";
import { UsageError } from "./errors.ts";
import { printList, withPaging } from "./print-list.ts";
import { formatInstant } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";
import { OWN_TOKEN_NAME } from "./own-token.ts";
import { serviceOrigin } from "../served-address.ts";
import { parseDuration, parseOverlap, parseTokenId, type NumberOrNone } from "./values.ts";

const OWN_TOKEN_ADVICE =
  "If the service's SNAP_TOKEN still contains the old secret, change or unset that variable; otherwise, the next start makes it valid again.";

/** For commands that encrypt a signing secret. */
const SHARED_KEY_CHECK = { keyCheck: "shared" } as const;

interface CreateOptions {
  readonly account: string;
  readonly name?: string;
  readonly ability?: readonly Ability[];
  readonly expiresIn?: NumberOrNone;
  readonly json?: true;
}

interface RevokeOptions {
  readonly all?: true;
  readonly account?: string;
  readonly json?: true;
}

interface ListFilters {
  readonly account: string;
  readonly expired?: true;
}

/** `snap-server tokens`: creates, lists, rotates and revokes an account's tokens. */
export function addTokens(program: Command): void {
  const tokens = program.command("tokens").description("manage an account's tokens");

  withJson(tokens.command("create"))
    .description("create a token; it is shown only once")
    .requiredOption("--account <account>", "id or email address of the account")
    .option("--name <text>", "what the token is for, such as the program that uses it; 1 to 100 characters")
    .addOption(
      new Option("--ability <ability...>", "what the token may render; everything by default").choices(
        ABILITIES,
      ),
    )
    .option(
      "--expires-in <duration>",
      'time until the token expires, such as 30d, 12h, 30m or 45s; "none" (the default) for no expiry',
      parseDuration,
    )
    .action(createToken);

  withPaging(tokens.command("list"))
    .description("list an account's tokens, in order of creation")
    .requiredOption("--account <account>", "id or email address of the account")
    .option("--expired", "only expired tokens")
    .action(listTokens);

  withTokenId(tokens.command("show")).description("show a token, without its secrets").action(showToken);

  withTokenId(tokens.command("rotate"))
    .description(
      "replace the token and its signing secret; without --overlap, the previous ones stop working immediately",
    )
    .option(
      "--overlap <duration>",
      "how long the previous token and its signed URLs still work, such as 24h; at most 30d; rejected until an earlier overlap has ended",
      parseOverlap,
    )
    .action((id: number, { overlap = "none", json }: { overlap?: NumberOrNone; json?: true }) =>
      withOperations(async ({ config, operations }) => {
        const minted = await operations.tokens.rotate(id, { overlap_seconds: secondsOf(overlap) ?? 0 });
        await printMinted(minted, { config, json: json === true });
      }, SHARED_KEY_CHECK),
    );

  withJson(tokens.command("revoke"))
    .description(
      "delete a token, or all of an account's tokens; they and their signed URLs stop working immediately",
    )
    .argument("[id]", "id of the token: the number before the pipe", parseTokenId)
    .option("--all", "revoke all tokens of the account")
    .option("--account <account>", "id or email address of the account, with --all")
    .action(revokeTokens);

  withTokenId(tokens.command("reveal"))
    .description("show a token's signing secret")
    .action((id: number, options: { json?: true }) =>
      withOperations(async ({ operations }) => {
        const revealed = await operations.tokens.reveal(id);
        if (options.json) printJson(revealed);
        else printLines(revealed.signing_secret);
      }),
    );
}

function withTokenId(command: Command): Command {
  return withJson(command).argument("<id>", "id of the token: the number before the pipe", parseTokenId);
}

function createToken(options: CreateOptions): Promise<void> {
  return withOperations(async ({ config, operations }) => {
    const seconds = secondsOf(options.expiresIn ?? "none");
    const minted = await operations.tokens.create({
      account_id: options.account,
      ...(options.name !== undefined && { name: options.name }),
      ...(options.ability !== undefined && { abilities: [...options.ability] }),
      ...(seconds !== null && { expires_in_seconds: seconds }),
    });
    await printMinted(minted, { config, json: options.json === true });
  }, SHARED_KEY_CHECK);
}

/** Returns whole seconds, rounded up; `null` for `none`. */
function secondsOf(durationMs: NumberOrNone): number | null {
  return durationMs === "none" ? null : Math.ceil(durationMs / 1000);
}

function revokeTokens(id: number | undefined, options: RevokeOptions): Promise<void> {
  const { account } = options;
  const isComplete = options.all === true ? account !== undefined && id === undefined : id !== undefined;
  if (!isComplete || (options.all !== true && account !== undefined))
    throw new UsageError("pass the id of a token, or --all --account ID");
  return withOperations(async ({ operations }) => {
    if (id !== undefined) {
      if (options.json) return printJson(await operations.tokens.revoke(id));
      const { name } = await operations.tokens.get(id);
      await operations.tokens.revoke(id);
      return printLines(`Revoked token ${id}.`, ...(name === OWN_TOKEN_NAME ? [OWN_TOKEN_ADVICE] : []));
    }
    const revoked = await operations.tokens.revokeAll(String(account));
    const { ids } = revoked;
    if (options.json) printJson(revoked);
    else if (ids.length === 0) printLines(`Account ${account} has no tokens.`);
    else printLines(`Revoked ${ids.length === 1 ? "token" : "tokens"} ${ids.join(", ")}.`);
  });
}

async function printMinted(
  minted: AdminMintedToken,
  { config, json }: { config: Config; json: boolean },
): Promise<void> {
  if (json) return printJson(minted);
  const pdfOnly = !minted.abilities.includes("screenshot");
  printLines(
    formatTable([
      ["token", minted.token],
      ["signing secret", minted.signing_secret],
      ...(minted.name === null ? [] : [["name", minted.name]]),
      ["may render", abilitiesLine(minted)],
      ["expires", formatInstant(minted.expires_at, "never")],
      ...(minted.overlap_ends_at === null
        ? []
        : [["previous credentials end", formatInstant(minted.overlap_ends_at, "")]]),
    ]),
    "",
    `Store the token now: it is not shown again. To show the signing secret again: snap-server tokens reveal ${minted.id}`,
    // rotated, because `create` is for other tokens
    ...(minted.name === OWN_TOKEN_NAME ? [OWN_TOKEN_ADVICE] : []),
  );
  const origin = config.adminUrl ?? (await serviceOrigin(config));
  if (origin === null) return;
  printLines(
    "",
    curlCommand({
      origin,
      token: minted.token,
      target: "https://example.com/",
      ...(pdfOnly ? { parameters: { pdf: "true" } } : {}),
      file: pdfOnly ? "example.pdf" : "example.png",
    }),
  );
}

function listTokens({ account, expired }: ListFilters, command: Command): Promise<void> {
  return withOperations(async ({ operations }) => {
    const all = await operations.tokens.list(account);
    const tokens = expired ? all.filter(isExpired) : all;
    return printList(command, {
      name: "tokens",
      readPage: async (request) =>
        toAdminCountedList(pageOf(tokens, request) ?? rejectAfter(request), (token) => token),
      heading: ["ID", "NAME", "MAY RENDER", "CREATED", "LAST USED", "ROTATED", "OVERLAP ENDS", "EXPIRES"],
      row: (token) => [
        String(token.id),
        token.name ?? "",
        abilitiesLine(token),
        formatInstant(token.created_at, ""),
        formatInstant(token.last_used_at, "never"),
        formatInstant(token.rotated_at, "never"),
        formatInstant(token.overlap_ends_at, ""),
        expiryLine(token),
      ],
      emptyMessage: [
        "The account has no tokens yet. Create one:",
        `  snap-server tokens create --account ${account}`,
      ],
    });
  });
}

/** An empty page would look like the end of the list. */
function rejectAfter({ after = "" }: PageRequest): never {
  throw new AdminError(`token ${after} is not in this list`, { code: "token_not_found" });
}

function isExpired({ expires_at: expiresAt }: AdminToken): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

function showToken(id: number, options: { json?: true }): Promise<void> {
  return withOperations(async ({ operations }) => {
    const token = await operations.tokens.get(id);
    if (options.json) return printJson(token);
    printLines(
      formatTable([
        ["id", String(token.id)],
        ["account", token.account_id],
        ["name", token.name ?? "none"],
        ["may render", abilitiesLine(token)],
        ["created", formatInstant(token.created_at, "")],
        ["last used", formatInstant(token.last_used_at, "never")],
        ["rotated", formatInstant(token.rotated_at, "never")],
        ["overlap ends", formatInstant(token.overlap_ends_at, "none")],
        ["expires", expiryLine(token)],
      ]),
    );
  });
}

function abilitiesLine({ abilities }: AdminToken): string {
  return abilities.join(", ");
}

function expiryLine(token: AdminToken): string {
  const line = formatInstant(token.expires_at, "never");
  return isExpired(token) ? `${line} (expired)` : line;
}
