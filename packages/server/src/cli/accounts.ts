import { entitlementOf } from "@snap/engine/internals";
import type { AdminAccount, AdminAccountDetails, AdminPlan } from "@snap/protocol";
import type { Command } from "commander";
import type { AccountChangeInput } from "../admin/inputs.ts";
import { addAccountLifecycle, stateOf } from "./account-lifecycle.ts";
import { withOperations, withJson, type OperationContext } from "./admin.ts";
import { UsageError } from "./errors.ts";
import { printList, withPaging } from "./print-list.ts";
import { parseFilter, parseOverride, parseWholeNumber, toNullable, type NumberOrNone } from "./values.ts";
import { formatCount, formatInstant } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";

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
  readonly credits?: NumberOrNone;
  readonly requestsPerMinute?: NumberOrNone;
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
      "plan: unlimited, or one from SNAP_PLANS_FILE (without the file: starter, growth, scale); no plan by default",
    )
    .option("--credits <number>", "credits per period, instead of the plan's", parseWholeNumber)
    .option("--requests-per-minute <number>", "renders per minute, instead of the plan's", parseWholeNumber)
    .option("--unverified", "leave the email address unverified")
    .action(createAccount);

  withPaging(accounts.command("list"))
    .description("list the accounts, in order of creation")
    .option("--email <text>", "only accounts whose email address contains this text", parseFilter)
    .option("--plan <slug>", 'only accounts with this plan; "none" for accounts without a plan', parseFilter)
    .option("--unverified", "only accounts whose email address is not verified")
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

  addAccountLifecycle(accounts);
}

function createAccount(options: CreateOptions): Promise<void> {
  const create = async ({ operations }: OperationContext): Promise<void> => {
    const account = await operations.accounts.create({
      email: options.email,
      ...(options.plan !== undefined && { plan: options.plan }),
      ...(options.credits !== undefined && { credits_per_period: options.credits }),
      ...(options.requestsPerMinute !== undefined && { requests_per_minute: options.requestsPerMinute }),
      verified: options.unverified !== true,
    });
    if (options.json) return printJson(account);
    printLines(`Created account ${account.id} for ${account.email}.`);
    if (account.plan === null)
      printLines(
        `It has no plan and cannot render yet. Set one: snap-server accounts update ${account.id} --plan PLAN`,
      );
    printLines(`Create a token for it: snap-server tokens create --account ${account.id}`);
  };
  return withOperations(create, { createsDatabase: true });
}

function listAccounts({ unverified, ...filter }: ListFilters, command: Command): Promise<void> {
  const { email, plan } = filter;
  return withOperations(async ({ operations }) => {
    const plans = await operations.plans();
    return printList(command, {
      name: "accounts",
      readPage: (page) =>
        operations.accounts.page({ ...page, email, plan, ...(unverified && { verified: false }) }),
      heading: ["ID", "EMAIL", "STATE", "VERIFIED", "PLAN", "CREDITS", "PER MINUTE", "CREATED"],
      row: (account) => tableRow(account, plans),
      emptyMessage: [
        "No accounts yet. Create one:",
        `  snap-server accounts create --email you@example.com --plan ${plans[0]?.slug ?? "PLAN"}`,
      ],
    });
  });
}

function tableRow(account: AdminAccount, plans: readonly AdminPlan[]): string[] {
  const { granted, requestsPerMinute } = limitsOf(account, plans);
  return [
    account.id,
    account.email,
    stateOf(account),
    account.verified_at === null ? "no" : "yes",
    account.plan ?? "none",
    formatCount(granted),
    formatCount(requestsPerMinute),
    formatInstant(account.created_at, ""),
  ];
}

function limitsOf(
  account: AdminAccount,
  plans: readonly AdminPlan[],
): Pick<ReturnType<typeof entitlementOf>, "granted" | "requestsPerMinute"> {
  return entitlementOf(
    {
      planSlug: account.plan,
      creditsPerPeriod: account.credits_per_period,
      requestsPerMinute: account.requests_per_minute,
      createdAt: Date.parse(account.created_at),
    },
    plans.map((plan) => ({
      ...plan,
      creditsPerPeriod: plan.credits_per_period,
      requestsPerMinute: plan.requests_per_minute,
    })),
    Date.now(),
  );
}

function showAccount(id: string, options: { json?: true }): Promise<void> {
  return withOperations(async ({ operations }) => {
    const { tokens, ...account } = await operations.accounts.get(id);
    if (options.json) return printJson({ ...account, token_ids: tokens.map((token) => token.id) });
    const { credits, period, rate_limit: limits } = account.usage;
    printLines(
      formatTable([
        ["id", account.id],
        ["email", account.email],
        ["state", stateLine(account)],
        ["verified", formatInstant(account.verified_at, "no")],
        ["created", formatInstant(account.created_at, "")],
        ["plan", planLine(account)],
        [
          "credits",
          `${formatCount(credits.remaining)} left, ${formatCount(credits.used)} used of ${formatCount(credits.total)}`,
        ],
        ["resets", formatInstant(period?.resets_at ?? null, "never (no active plan)")],
        ["renders per minute", formatCount(limits.requests_per_minute)],
        ["token ids", tokens.map((token) => token.id).join(", ") || "none"],
      ]),
    );
  });
}

function stateLine(account: AdminAccount): string {
  const since = account.deletion_started_at ?? account.suspended_at;
  return since === null ? stateOf(account) : `${stateOf(account)} since ${formatInstant(since, "")}`;
}

function planLine({ plan, usage }: Pick<AdminAccountDetails, "plan" | "usage">): string {
  if (usage.plan !== null) return `${usage.plan.name} (${usage.plan.slug})`;
  return plan === null ? "none" : `${plan} (no longer defined)`;
}

function updateAccount(id: string, options: UpdateOptions): Promise<void> {
  const { email, plan, credits, requestsPerMinute } = options;
  const change: AccountChangeInput = {
    ...(email !== undefined && { email }),
    ...(plan !== undefined && { plan: plan === "none" ? null : plan }),
    ...(credits !== undefined && { credits_per_period: toNullable(credits) }),
    ...(requestsPerMinute !== undefined && { requests_per_minute: toNullable(requestsPerMinute) }),
  };
  if (Object.keys(change).length === 0)
    throw new UsageError("nothing to change", "pass --email, --plan, --credits or --requests-per-minute");
  return withOperations(async ({ operations }) => {
    const account = await operations.accounts.update(id, change);
    if (options.json) printJson(account);
    else printLines(`Updated account ${account.id}. Show it: snap-server accounts show ${account.id}`);
  });
}
