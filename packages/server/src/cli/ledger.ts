import type { LedgerDifference, LedgerReport } from "@snap/engine";
import type { Command } from "commander";
import { withAdminEngine, withJson } from "./admin.ts";
import { isoInstant } from "../admin/json-bodies.ts";
import { EXIT_CODES } from "./errors.ts";
import { formatCount, formatNoun } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";

interface VerifyOptions {
  readonly account?: string;
  readonly json?: true;
}

/** `snap-server ledger`: verifies the balances. */
export function addLedger(program: Command): void {
  const ledger = program.command("ledger").description("verify the balances of accounts");

  withJson(ledger.command("verify"))
    .description(
      "check every balance against the journal and the open reservations, and exit with code 1 if they differ",
    )
    .option("--account <account>", "only this account: its id or email address; every account by default")
    .addHelpText(
      "after",
      `
It changes nothing, and the service can be running. If the balance of a period or the beginning of its journal
is missing, for example because it is being pruned, only its open reservations are checked;
but a missing balance is a difference if the period began less than 66 days ago.`,
    )
    .action(verify);
}

function verify({ account: accountId, json }: VerifyOptions): Promise<void> {
  return withAdminEngine(async ({ engine }) => {
    // fails for an unknown account
    if (accountId !== undefined) await engine.accounts.get(accountId);
    const report = await engine.verifyLedger({ accountId });
    const isSound = report.differences.length === 0;
    if (json) printJson(toDocument(report));
    else printLines(...describe(report));
    if (!isSound) process.exitCode = EXIT_CODES.failure;
  });
}

function toDocument({ verifiedPeriods, incompletePeriods, differences }: LedgerReport): unknown {
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
  const incomplete =
    incompletePeriods === 0
      ? []
      : [`Incomplete periods: ${formatCount(incompletePeriods)}. Only their open reservations were checked.`];
  const verified = `Verified periods: ${formatCount(verifiedPeriods)}.`;
  if (differences.length === 0) return [`${verified} No differences.`, ...incomplete];
  const accounts = new Set(differences.map(({ accountId }) => accountId));
  return [
    formatTable([
      ["ACCOUNT", "PERIOD", "", "GRANTED", "USED", "RESERVED"],
      ...differences.flatMap(differenceRows),
    ]),
    "",
    `${verified} Differences: ${formatCount(differences.length)}, in ${formatNoun(accounts.size, "account")}.`,
    ...incomplete,
  ];
}

/** Three rows: the balance, what the journal adds up to, and what the reserved credits should be. */
function differenceRows(difference: LedgerDifference): string[][] {
  const { accountId, periodStartedAt, balance, journal, openReservations } = difference;
  const cellsOf = (credits: LedgerDifference["balance"], none: string): string[] =>
    credits === null ? [none] : [credits.granted, credits.used, credits.reserved].map(String);
  return [
    [accountId, isoInstant(periodStartedAt).slice(0, 10), "balance", ...cellsOf(balance, "missing")],
    ["", "", "journal", ...cellsOf(journal, "not compared")],
    ["", "", "open reservations", "", "", String(openReservations)],
  ];
}
