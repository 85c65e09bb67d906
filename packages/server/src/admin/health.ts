import type { Engine } from "@snap/engine";
import { DAY_MS, dayOf } from "@snap/engine/internals";
import type { Activity, UsageSum } from "@snap/engine/ports";
import type { AdminHealth, AdminProblem } from "@snap/protocol";
import { boundedRead } from "../operations/metrics/bounded-read.ts";
import { createStateReader, type State } from "../operations/metrics/read-state.ts";
import { shareResult } from "../requests/share-result.ts";
import { BUILD } from "../version.ts";
import { isoInstant } from "./json-bodies.ts";
import { findProblems } from "./problems.ts";

const MINUTE_MS = 60_000;
const ACTIVITY_MINUTES = 60;

export interface HealthOptions {
  readonly engine: Engine;
  readonly checkHealth: Engine["health"];
  /** Problems found at startup. */
  readonly problems?: readonly AdminProblem[];
  readonly expectsBackups?: boolean;
}

/** Returns a function that reads the service's state within two seconds. Calls in the same second share a result. */
export function createHealthReader({
  engine,
  checkHealth,
  problems: startProblems = [],
  expectsBackups = false,
}: HealthOptions): () => Promise<AdminHealth> {
  const readState = createStateReader(null);
  const readHistory = createHistoryReader(engine);
  return shareResult(async () => {
    const now = Date.now();
    const [health, state, history] = await Promise.all([
      checkHealth(),
      readState(engine, checkHealth),
      readHistory(now),
    ]);
    const { running, waiting } = engine.load();
    const currentProblems = findProblems(
      {
        ...state,
        reasons: health.reasons,
        lastBackupAt: expectsBackups ? state.lastBackupAt : undefined,
        unreachable: unreachableServers(engine, state),
      },
      now,
    );
    return {
      version: BUILD.version,
      ready: health.ready,
      problems: [...currentProblems, ...startProblems],
      renders: { running, waiting },
      batches: state.batches && {
        queued_items: state.batches.queuedItems,
        rendering_items: state.batches.renderingItems,
        open_deliveries: state.batches.openDeliveries,
      },
      cache: state.cache && {
        bytes: state.cache.bytes,
        max_bytes: state.cache.maxBytes,
        free_bytes: state.cache.freeBytes,
      },
      last_backup_at: isoInstant(state.lastBackupAt ?? null),
      history: engine.history.isRecorded,
      ...history,
    };
  });
}

function unreachableServers({ servers }: Engine, { dependencies }: State): readonly string[] {
  return servers.map(({ name }) => name).filter((name) => dependencies.get(name) === false);
}

/** Reads recent totals, failures and activity. Counts that cannot be read are 0. */
function createHistoryReader({
  history,
}: Engine): (now: number) => Promise<Pick<AdminHealth, "today" | "failures" | "activity">> {
  const readToday = boundedRead<readonly UsageSum[]>();
  const readFailures = boundedRead<AdminHealth["failures"]>();
  const readActivity = boundedRead<readonly Activity[]>();
  return async (now) => {
    const day = dayOf(now);
    const withinMs = ACTIVITY_MINUTES * MINUTE_MS;
    const [sums, failures, activity] = await Promise.all([
      readToday(() => history.usage({ from: day, to: day, by: "day" })),
      readFailures(() => history.failures({ withinMs: DAY_MS })),
      readActivity(() => history.activity({ withinMs, intervalMs: MINUTE_MS })),
    ]);
    const { renders = 0, hits = 0, failures: failed = 0, credits = 0 } = sums?.[0] ?? {};
    return {
      today: { renders, hits, failures: failed, credits },
      failures: failures ?? [],
      activity: fillMissingMinutes(activity ?? [], now),
    };
  };
}

/** Adds the minutes without renders or failures, which the storage omits. */
function fillMissingMinutes(activity: readonly Activity[], now: number): AdminHealth["activity"] {
  const counts = new Map(activity.map((minute) => [minute.at, minute]));
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: ACTIVITY_MINUTES }, (_, index) => {
    const at = last - (ACTIVITY_MINUTES - 1 - index) * MINUTE_MS;
    const { renders = 0, failures = 0 } = counts.get(at) ?? {};
    return { at: isoInstant(at), renders, failures };
  });
}
