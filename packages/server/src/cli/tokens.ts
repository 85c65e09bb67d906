import { AdminError, systemClock, type Ability, type MintedToken } from "@snap/engine";
import { ABILITIES } from "@snap/engine/internals";
import type { PageRequest, TokenRecord } from "@snap/engine/ports";
import { Option, type Command } from "commander";
import { publicUrlOf, type Config } from "../config.ts";
import { administer, withJson } from "./admin.ts";
import { curlLine } from "./curl-line.ts";
import { overlapEndOf, tokenDocument } from "./documents.ts";
import { UsageError } from "./errors.ts";
import { pageOf, printList, withPaging } from "./lists.ts";
import { formatInstant, formatTable, printJson, printLines } from "./output.ts";
import { parseDuration, parseOverlap, parseTokenId, toNullable, type Optional } from "./values.ts";

/** For what encrypts a signing secret. */
const SHARED_KEY = { keyCheck: "shared" } as const;

interface CreateOptions {
  readonly account: string;
  readonly name?: string;
  readonly ability?: readonly Ability[];
  readonly expiresIn?: Optional;
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

/** `snap-server tokens`: creates, lists, rotates and revokes the access tokens of an account. */
export function addTokens(program: Command): void {
  const tokens = program.command("tokens").description("manage the access tokens of an account");

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
      'such as 30d, 12h, 30m or 45s; "none" (the default) for no expiry',
      parseDuration,
    )
    .action(createToken);

  withPaging(tokens.command("list"))
    .description("list the tokens of an account, in order of creation")
    .requiredOption("--account <account>", "id or email address of the account")
    .option("--expired", "only those that have expired")
    .action(listTokens);

  withTokenId(tokens.command("show")).description("show a token, without its secrets").action(showToken);

  withTokenId(tokens.command("rotate"))
    .description(
      "replace the token and its signing secret; without --overlap, the old ones stop working at once",
    )
    .option(
      "--overlap <duration>",
      "how long the old token and its signed URLs still work, such as 24h; at most 30d; rejected while an earlier overlap lasts",
      parseOverlap,
    )
    .action((id: number, { overlap = "none", json }: { overlap?: Optional; json?: true }) =>
      administer(async ({ config, engine }) => {
        const minted = await engine.tokens.rotate(id, { overlapMs: toNullable(overlap) ?? 0 });
        printMinted(minted, { config, json: json === true });
      }, SHARED_KEY),
    );

  withJson(tokens.command("revoke"))
    .description("delete a token, or all of an account; they and their signed URLs stop working at once")
    .argument("[id]", "id of the token: the number before the pipe", parseTokenId)
    .option("--all", "revoke all tokens of the account")
    .option("--account <account>", "id or email address of the account, with --all")
    .action(revokeTokens);

  withTokenId(tokens.command("reveal"))
    .description("show the signing secret of a token")
    .action((id: number, options: { json?: true }) =>
      administer(async ({ engine }) => {
        const { record, signingSecret } = await engine.tokens.reveal(id);
        if (options.json) printJson({ ...tokenDocument(record), signing_secret: signingSecret });
        else printLines(signingSecret);
      }),
    );
}

function withTokenId(command: Command): Command {
  return withJson(command).argument("<id>", "id of the token: the number before the pipe", parseTokenId);
}

function createToken(options: CreateOptions): Promise<void> {
  return administer(async ({ config, engine }) => {
    const durationMs = toNullable(options.expiresIn ?? "none");
    const minted = await engine.tokens.create({
      accountId: options.account,
      ...(options.name === undefined ? {} : { name: options.name }),
      expiresAt: durationMs === null ? null : systemClock.now() + durationMs,
      ...(options.ability === undefined ? {} : { abilities: options.ability }),
    });
    printMinted(minted, { config, json: options.json === true });
  }, SHARED_KEY);
}

function revokeTokens(id: number | undefined, options: RevokeOptions): Promise<void> {
  const { account } = options;
  const isComplete = options.all === true ? account !== undefined && id === undefined : id !== undefined;
  if (!isComplete || (options.all !== true && account !== undefined))
    throw new UsageError("pass the id of a token, or --all --account ID");
  return administer(async ({ engine }) => {
    if (id !== undefined) {
      await engine.tokens.revoke(id);
      if (options.json) printJson({ id, revoked: true });
      else printLines(`Revoked token ${id}.`);
      return;
    }
    const ids = await engine.tokens.revokeAll(String(account));
    if (options.json) printJson({ ids, revoked: true });
    else if (ids.length === 0) printLines(`Account ${account} has no tokens.`);
    else printLines(`Revoked ${ids.length === 1 ? "token" : "tokens"} ${ids.join(", ")}.`);
  });
}

function printMinted(minted: MintedToken, { config, json }: { config: Config; json: boolean }): void {
  const { record, token, signingSecret } = minted;
  if (json) return printJson({ ...tokenDocument(record), token, signing_secret: signingSecret });
  const pdfOnly = !record.abilities.includes("screenshot");
  printLines(
    formatTable([
      ["token", token],
      ["signing secret", signingSecret],
      ...(record.name === null ? [] : [["name", record.name]]),
      ["may render", abilitiesLine(record)],
      ["expires", formatInstant(record.expiresAt, "never")],
      ...(overlapEndOf(record) === null
        ? []
        : [["the old secrets end", formatInstant(overlapEndOf(record), "")]]),
    ]),
    "",
    `Store the token now: it is not shown again. To show the signing secret again: snap-server tokens reveal ${record.id}`,
  );
  // The URL is unknown without a fixed port.
  if (config.port === 0 && config.publicUrl === null) return;
  printLines(
    "",
    curlLine({
      origin: publicUrlOf(config, config.port),
      token,
      target: "https://example.com/",
      ...(pdfOnly ? { parameters: { pdf: "true" } } : {}),
      file: pdfOnly ? "example.pdf" : "example.png",
    }),
  );
}

function listTokens({ account, expired }: ListFilters, command: Command): Promise<void> {
  return administer(async ({ engine }) => {
    const all = await engine.tokens.list(account);
    const records = expired ? all.filter(isExpired) : all;
    return printList(command, {
      name: "tokens",
      readPage: async (request) => pageOf(records, request) ?? refuseAfter(request),
      document: tokenDocument,
      heading: ["ID", "NAME", "MAY RENDER", "CREATED", "LAST USED", "ROTATED", "OVERLAP ENDS", "EXPIRES"],
      row: (record) => [
        String(record.id),
        record.name ?? "",
        abilitiesLine(record),
        formatInstant(record.createdAt, ""),
        formatInstant(record.lastUsedAt, "never"),
        formatInstant(record.rotatedAt, "never"),
        formatInstant(overlapEndOf(record), ""),
        expiryLine(record),
      ],
      whenEmpty: [
        "The account has no tokens yet. Create one:",
        `  snap-server tokens create --account ${account}`,
      ],
    });
  });
}

/** An empty page would look like the end of the list. */
function refuseAfter({ after = "" }: PageRequest): never {
  throw new AdminError(`token ${after} is not in this list`, { code: "token_not_found" });
}

function isExpired({ expiresAt }: TokenRecord): boolean {
  return expiresAt !== null && expiresAt <= systemClock.now();
}

function showToken(id: number, options: { json?: true }): Promise<void> {
  return administer(async ({ engine }) => {
    const record = await engine.tokens.get(id);
    if (options.json) return printJson(tokenDocument(record));
    printLines(
      formatTable([
        ["id", String(record.id)],
        ["account", record.accountId],
        ["name", record.name ?? "none"],
        ["may render", abilitiesLine(record)],
        ["created", formatInstant(record.createdAt, "")],
        ["last used", formatInstant(record.lastUsedAt, "never")],
        ["rotated", formatInstant(record.rotatedAt, "never")],
        ["overlap ends", formatInstant(overlapEndOf(record), "none")],
        ["expires", expiryLine(record)],
      ]),
    );
  });
}

function abilitiesLine({ abilities }: TokenRecord): string {
  return abilities.join(", ");
}

function expiryLine(record: TokenRecord): string {
  const line = formatInstant(record.expiresAt, "never");
  return isExpired(record) ? `${line} (expired)` : line;
}
