import type { Account, Plan } from "@snap/engine";
import { entitlementOf, usageReport } from "@snap/engine/internals";
import type { Command } from "commander";
import { administer, withJson, type Admin } from "./admin.ts";
import { addAccountLifecycle, stateOf } from "./account-lifecycle.ts";
import { accountDocument } from "./documents.ts";
import { UsageError } from "./errors.ts";
import { printList, withPaging } from "./lists.ts";
import { parseOverride, parseWholeNumber, toNullable, type Optional } from "./values.ts";
import { formatCount, formatInstant, formatTable, printJson, printLines } from "./output.ts";

interface CreateOptions {
  readonly email: string;
  readonly plan?: string;
  readonly credits?: number;
  readonly requestsPerMinute?: number;
  readonly unverified?: true;
  readonly json?: true;
}

interface UpdateOptions {
  readonly email?: string;
  readonly plan?: string;
  readonly credits?: Optional;
  readonly requestsPerMinute?: Optional;
  readonly json?: true;
}

interface ListFilters {
  readonly email?: string;
  readonly plan?: string;
  readonly unverified?: true;
}

/** `snap-server accounts`: creates, lists and changes accounts. */
export function addAccounts(program: Command): void {
  const accounts = program.command("accounts").description("manage accounts");

  withJson(accounts.command("create"))
    .description("create an account")
    .requiredOption("--email <address>", "email address of the account")
    .option(
      "--plan <slug>",
      "plan: starter, growth, scale or a plan from SNAP_PLANS_FILE; no plan by default",
    )
    .option("--credits <number>", "credits per period, instead of the plan's", parseWholeNumber)
    .option("--requests-per-minute <number>", "renders per minute, instead of the plan's", parseWholeNumber)
    .option("--unverified", "leave the email address unverified")
    .action(createAccount);

  withPaging(accounts.command("list"))
    .description("list the accounts, in order of creation")
    .option("--email <text>", "only those with this text in their email address")
    .option("--plan <slug>", 'only those with this plan; "none" for those without a plan')
    .option("--unverified", "only those whose email address is not verified")
    .action(listAccounts);

  withJson(accounts.command("show"))
    .description("show an account, its credits and its usage this period")
    .argument("<account>", "id or email address of the account")
    .action(showAccount);

  withJson(accounts.command("update"))
    .description("change an account")
    .argument("<account>", "id or email address of the account")
    .option("--email <address>", "email address of the account")
    .option("--plan <slug>", 'slug of the plan; "none" removes the plan')
    .option("--credits <number>", `credits per period; "none" restores the plan's`, parseOverride)
    .option("--requests-per-minute <number>", `renders per minute; "none" restores the plan's`, parseOverride)
    .action(updateAccount);

  withJson(accounts.command("verify"))
    .description("mark the email address of an account as verified")
    .argument("<account>", "id or email address of the account")
    .action((id: string, options: { json?: true }) =>
      administer(async ({ engine }) => {
        const account = await engine.accounts.verify(id);
        if (options.json) printJson(accountDocument(account));
        else printLines(`${account.email} is verified.`);
      }),
    );

  addAccountLifecycle(accounts);
}

function createAccount(options: CreateOptions): Promise<void> {
  const create = async ({ engine }: Admin): Promise<void> => {
    const account = await engine.accounts.create({
      email: options.email,
      planSlug: options.plan ?? null,
      creditsPerPeriod: options.credits ?? null,
      requestsPerMinute: options.requestsPerMinute ?? null,
      verified: options.unverified !== true,
    });
    if (options.json) return printJson(accountDocument(account));
    printLines(`Created account ${account.id} for ${account.email}.`);
    if (account.planSlug === null)
      printLines(
        `It has no plan and cannot render yet. Set one: snap-server accounts update ${account.id} --plan starter`,
      );
    printLines(`Create a token for it: snap-server tokens create --account ${account.id}`);
  };
  return administer(create, { createsDatabase: true });
}

function listAccounts(options: ListFilters, command: Command): Promise<void> {
  const { email: emailPart, plan, unverified } = options;
  const filter = {
    emailPart,
    planSlug: plan === "none" ? null : plan,
    ...(unverified && { isVerified: false }),
  };
  return administer(({ config, engine }) =>
    printList(command, {
      name: "accounts",
      readPage: (request) => engine.accounts.page({ ...request, ...filter }),
      document: accountDocument,
      heading: ["ID", "E-MAIL", "STATE", "VERIFIED", "PLAN", "CREDITS", "PER MINUTE", "CREATED"],
      row: (account) => tableRow(account, config.plans),
      whenEmpty: [
        "No accounts yet. Create one:",
        "  snap-server accounts create --email you@example.com --plan starter",
      ],
    }),
  );
}

function tableRow(account: Account, plans: readonly Plan[]): string[] {
  const { granted, requestsPerMinute } = entitlementOf(account, plans, Date.now());
  return [
    account.id,
    account.email,
    stateOf(account),
    account.emailVerifiedAt === null ? "no" : "yes",
    account.planSlug ?? "none",
    formatCount(granted),
    formatCount(requestsPerMinute),
    formatInstant(account.createdAt, ""),
  ];
}

function showAccount(id: string, options: { json?: true }): Promise<void> {
  return administer(async (admin) => {
    const account = await admin.engine.accounts.get(id);
    const entitlement = entitlementOf(account, admin.config.plans, Date.now());
    const usage = usageReport(entitlement, await admin.engine.credits(account));
    const tokens = await admin.engine.tokens.list(id);
    if (options.json)
      return printJson({ ...accountDocument(account), usage, token_ids: tokens.map((token) => token.id) });
    const { credits, rate_limit: limits } = usage;
    printLines(
      formatTable([
        ["id", account.id],
        ["email", account.email],
        ["state", stateLine(account)],
        ["verified", formatInstant(account.emailVerifiedAt, "no")],
        ["created", formatInstant(account.createdAt, "")],
        ["plan", planLine(account, entitlement.plan)],
        [
          "credits",
          `${formatCount(credits.remaining)} left, ${formatCount(credits.used)} used of ${formatCount(credits.total)}`,
        ],
        ["resets", formatInstant(entitlement.period?.resetsAt ?? null, "never (no plan, so no period)")],
        ["renders per minute", formatCount(limits.requests_per_minute)],
        ["tokens", tokens.map((token) => token.id).join(", ") || "none"],
      ]),
    );
  });
}

function stateLine(account: Account): string {
  const since = account.deletionStartedAt ?? account.suspendedAt;
  return since === null ? stateOf(account) : `${stateOf(account)} since ${formatInstant(since, "")}`;
}

function planLine(account: Account, plan: Plan | null): string {
  if (plan !== null) return `${plan.name} (${plan.slug})`;
  return account.planSlug === null ? "none" : `${account.planSlug} (no longer defined)`;
}

function updateAccount(id: string, options: UpdateOptions): Promise<void> {
  const { email, plan, credits, requestsPerMinute } = options;
  const change: Parameters<Admin["engine"]["accounts"]["update"]>[1] = {
    ...(email === undefined ? {} : { email }),
    ...(plan === undefined ? {} : { planSlug: plan === "none" ? null : plan }),
    ...(credits === undefined ? {} : { creditsPerPeriod: toNullable(credits) }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute: toNullable(requestsPerMinute) }),
  };
  if (Object.keys(change).length === 0)
    throw new UsageError("nothing to change", "pass --email, --plan, --credits or --requests-per-minute");
  return administer(async ({ engine }) => {
    const account = await engine.accounts.update(id, change);
    if (options.json) printJson(accountDocument(account));
    else printLines(`Updated account ${account.id}. Show it: snap-server accounts show ${account.id}`);
  });
}
