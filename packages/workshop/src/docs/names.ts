import { createMetrics } from "@snap/server";
import { documentVariables } from "../../../server/src/config.ts";
import type { Page } from "./markdown.ts";

/** What guides and examples call their own. */
const OF_READERS = ["SNAP_TOKEN", "SNAP_TOKEN_ID", "SNAP_SIGNING_SECRET", "SNAP_BASE_URL"];

/** The former schema of pg-boss, which a changeset tells operators to drop. */
const OF_EARLIER_RELEASES = ["snap_jobs"];

/** Finds the variables and figures that a page names and that there aren't. */
export async function createNameCheck(): Promise<(page: Page) => string[]> {
  const { body } = await createMetrics().expose(NOTHING_RUNS);
  const known = new Set([
    ...documentVariables().map(({ name }) => name),
    ...Array.from(body.matchAll(/^# TYPE (\S+)/gm), ([, name = ""]) => name),
    ...OF_READERS,
    ...OF_EARLIER_RELEASES,
  ]);
  return ({ path, text }) => {
    const named = new Set(text.match(/\b(?:SNAP_[A-Z_]*[A-Z]|snap_[a-z_]*[a-z])\b/g));
    return [...named].filter((name) => !known.has(name)).map((name) => `${path}: there is no ${name}`);
  };
}

type Figures = Parameters<ReturnType<typeof createMetrics>["expose"]>[0];

const unasked = (): Promise<never> => Promise.reject(new Error("nothing is asked of it here"));

const NOTHING_RUNS: Figures = {
  load: () => ({ running: 0, waiting: 0, batch: { running: 0, waiting: 0 }, slots: 0, concurrency: 0 }),
  batches: {
    submit: unasked,
    get: unasked,
    inspect: unasked,
    figures: async () => ({
      queuedItems: 0,
      renderingItems: 0,
      oldestUnfinishedAgeMs: null,
      openDeliveries: 0,
    }),
  },
};
