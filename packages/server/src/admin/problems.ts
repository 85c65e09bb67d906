import type { ClockSkew } from "@snap/engine";
import type { CacheStats } from "@snap/engine/ports";
import type { AdminProblem } from "@snap/protocol";
import { describeBackup, describeCache, describeClocks } from "../findings/describe-state.ts";
import { problem, type Finding } from "../findings/finding.ts";
import type { FindingCode } from "../operator-error.ts";

export interface KnownState {
  /** Why the service is not ready. */
  readonly reasons: readonly string[];
  readonly clockSkews: readonly ClockSkew[];
  readonly cache: CacheStats | null;
  /** `null` if there is none; `undefined` if none is expected, or if it cannot be read. */
  readonly lastBackupAt: number | null | undefined;
  /** Names of the storage's servers that are not responding. */
  readonly unreachable: readonly string[];
}

/**
 * Code and advice by prefix of the reason. Reasons that start with `clock: ` are left out: `describeClocks` reports wrong
 * clocks, and `unreachable` the servers whose clock could not be read.
 */
const REASONS: readonly (readonly [prefix: string, code: FindingCode, advice: string])[] = [
  ["storage: ", "storage_fails", "run `snap-server doctor` where the service runs"],
  ["renderer: ", "browser_fails", "run `snap-server doctor` where the service runs"],
];

/** Returns problems before warnings. */
export function findProblems(state: KnownState, now: number): readonly AdminProblem[] {
  const findings = [
    ...state.reasons.flatMap(explainReason),
    ...state.unreachable.map((server) =>
      problem(
        server === "Redis" ? "redis_unreachable" : "database_unreachable",
        `${server} is not responding`,
        `start ${server}, or correct its address`,
      ),
    ),
    ...describeClocks(state.clockSkews),
    ...describeCache(state.cache),
    ...(state.lastBackupAt === undefined ? [] : [describeBackup(state.lastBackupAt, now)]),
  ];
  const problems = findings.flatMap(toProblem);
  return ["problem", "warning"].flatMap((status) => problems.filter((found) => found.status === status));
}

function explainReason(reason: string): readonly Finding[] {
  return REASONS.flatMap(([prefix, code, advice]) =>
    reason.startsWith(prefix) ? [problem(code, reason.slice(prefix.length), advice)] : [],
  );
}

/** Omits findings that are `ok`. */
export function toProblem({ status, code, message, advice }: Finding): readonly AdminProblem[] {
  return status === "ok" ? [] : [{ status, code, message, advice: advice ?? null }];
}
