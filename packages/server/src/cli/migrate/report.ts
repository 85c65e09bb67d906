import type { TransferProgress } from "@snap/engine";
import type { TransferTotals } from "@snap/engine/ports";
import { formatCount } from "../../format.ts";
import { formatTable } from "../output.ts";
import type { KeyLocation, MoveReport } from "./move.ts";

const LABELS: Readonly<Record<keyof TransferTotals, string>> = {
  accounts: "accounts",
  tokens: "tokens",
  lastTokenId: "highest token id",
  balances: "balances",
  granted: "  credits granted",
  used: "  credits used",
  reserved: "  credits reserved",
  reservations: "reservations",
  openReservations: "  open",
  journalLines: "journal entries",
  journalGranted: "  credits granted",
  journalReserved: "  credits reserved",
  journalSettled: "  credits settled",
  journalRefunded: "  credits refunded",
  journalLapsed: "  credits lapsed",
  journalReversed: "  credits reversed",
  batches: "batches",
  batchItems: "batch items",
  unfinishedItems: "  unfinished",
  deliveries: "webhook deliveries",
  openDeliveries: "  open",
  idempotencyKeys: "idempotency keys",
  documents: "documents",
  documentBytes: "  bytes",
};

const TOTALS = Object.keys(LABELS) as (keyof TransferTotals)[];

/** The report as text. */
export function moveLines(report: MoveReport): readonly string[] {
  const { source, target, dataDir, database, moved, wasFinished, key } = report;
  return [
    formatTable([
      ["", "FOLDER", "DATABASE"],
      ...TOTALS.map((name) => [LABELS[name], formatCount(source[name]), formatCount(target[name])]),
    ]),
    "",
    wasFinished
      ? `Nothing to do: ${dataDir} has already been moved to ${database}.`
      : `${formatCount(moved)} records moved from ${dataDir} to ${database}; both sides match.`,
    "",
    `Next, ${keyAdvice(key, source)}.`,
    "Then start the service with SNAP_DATABASE_URL and SNAP_REDIS_URL. Keep the folder as a backup; do not serve from it again.",
  ];
}

/** The report as JSON. */
export function moveDocument(report: MoveReport): Readonly<Record<string, unknown>> {
  const { source, target, dataDir, database, moved, wasFinished, key } = report;
  return {
    from: dataDir,
    to: database,
    moved,
    was_finished: wasFinished,
    secret_key: key,
    figures: Object.fromEntries(
      TOTALS.map((name) => [snakeCase(name), { from: source[name], to: target[name] }]),
    ),
  };
}

/** Progress on a terminal. */
export function progressLine({ kind, moved, total }: TransferProgress): string {
  const percent = Math.floor((100 * moved) / total);
  return `${percent} %, ${formatCount(moved)} of ${formatCount(total)} records: ${snakeCase(kind).replace("_", " ")}`;
}

function keyAdvice(key: KeyLocation, { tokens }: TransferTotals): string {
  if (key.where === "file") return `set SNAP_SECRET_KEY to the contents of ${key.path} on every machine`;
  if (key.where === "variable") return "set SNAP_SECRET_KEY on every machine to the value that it has here";
  return tokens === 0
    ? "set SNAP_SECRET_KEY to the same value on every machine (`openssl rand -hex 32` generates one)"
    : "set SNAP_SECRET_KEY on every machine to the key that the folder was used with (not found here, so not checked)";
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
