import type { LedgerDifference, LedgerReport } from "@snap/engine";
import type { Command } from "commander";
import { administer, withJson } from "./admin.ts";
import { isoInstant } from "../admin/documents.ts";
import { EXIT_CODES } from "./errors.ts";
import { formatCount, formatNoun } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";

interface VerifyOptions {
  readonly account?: string;
  readonly json?: true;
}

/** `snap-server ledger`: verifies the balances. */
export function addLedger(program: Command): void {
  const ledger = program.command("ledger").description("verify the accounts' credits");

  withJson(ledger.command("verify"))
    .description(
      "check that the journal adds up to every balance, and that the reserved credits match the open reservations; fails if not",
    )
    .option("--account <account>", "only this account: its id or email address; every account by default")
    .addHelpText(
      "after",
      `
This changes nothing, and works while the service is running. Periods whose journal no longer begins with a
grant are counted, but only their open reservations are compared.`,
    )
    .action(verify);
}

function verify({ account: accountId, json }: VerifyOptions): Promise<void> {
  return administer(async ({ engine }) => {
    if (accountId !== undefined) await engine.accounts.get(accountId);
    const report = await engine.verifyLedger({ accountId });
    const isSound = report.differences.length === 0;
    if (json) printJson(document(report));
    else printLines(...describe(report));
    if (!isSound) process.exitCode = EXIT_CODES.failure;
  });
}

function document({ verifiedPeriods, incompletePeriods, differences }: LedgerReport): unknown {
  return {
    ok: differences.length === 0,
    verified_periods: verifiedPeriods,
    incomplete_periods: incompletePeriods,
    differences: differences.map(({ accountId, periodStartedAt, balance, journal, openReservations }) => ({
      account_id: accountId,
      period_started_at: isoInstant(periodStartedAt),
      balance,
      journal,
      open_reservations: openReservations,
    })),
  };
}

function describe({ verifiedPeriods, incompletePeriods, differences }: LedgerReport): string[] {
  const skipped =
    incompletePeriods === 0
      ? []
      : [`${formatCount(incompletePeriods)} more: their journal no longer begins with a grant.`];
  const verified = `Verified periods: ${formatCount(verifiedPeriods)}.`;
  if (differences.length === 0) return [`${verified} Every balance is the sum of its journal.`, ...skipped];
  const accounts = new Set(differences.map(({ accountId }) => accountId));
  return [
    formatTable([
      ["ACCOUNT", "PERIOD", "", "GRANTED", "USED", "RESERVED"],
      ...differences.flatMap(differenceRows),
    ]),
    "",
    `${verified} Differences: ${formatCount(differences.length)}, in ${formatNoun(accounts.size, "account")}.`,
    ...skipped,
  ];
}

/** The balance, and what it should be. */
function differenceRows(difference: LedgerDifference): string[][] {
  const { accountId, periodStartedAt, balance, journal, openReservations } = difference;
  const figuresOf = (total: LedgerDifference["balance"]): string[] =>
    total === null ? ["missing"] : [total.granted, total.used, total.reserved].map(String);
  return [
    [accountId, isoInstant(periodStartedAt).slice(0, 10), "balance", ...figuresOf(balance)],
    ["", "", "journal", ...figuresOf(journal)],
    ["", "", "open reservations", "", "", String(openReservations)],
  ];
}
