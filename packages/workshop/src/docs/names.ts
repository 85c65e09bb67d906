import { listVariables } from "../../../server/src/config.ts";
import { METRICS } from "../../../server/src/operations/metrics/catalog.ts";
import type { Page } from "./markdown.ts";

/** Variables in the guides and examples. */
const GUIDE_VARIABLES = ["SNAP_TOKEN", "SNAP_TOKEN_ID", "SNAP_SIGNING_SECRET", "SNAP_BASE_URL"];

/** The schema that pg-boss left behind, which a changeset tells operators to drop. */
const PREVIOUS_NAMES = ["snap_jobs"];

/** Returns a function that finds unknown variables and metrics on a page. */
export function createNameCheck(): (page: Page) => string[] {
  const known = new Set([
    ...listVariables().map(({ name }) => name),
    ...Object.values(METRICS).flatMap((metrics) => Object.values(metrics).map(({ name }) => name)),
    ...GUIDE_VARIABLES,
    ...PREVIOUS_NAMES,
  ]);
  return ({ path, text }) => {
    const namesOnPage = new Set(text.match(/\b(?:SNAP_[A-Z_]*[A-Z]|snap_[a-z_]*[a-z])\b/g));
    return [...namesOnPage].filter((name) => !known.has(name)).map((name) => `${path}: unknown name ${name}`);
  };
}
