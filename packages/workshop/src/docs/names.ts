import { readFileSync } from "node:fs";
import { join } from "node:path";
import { documentVariables } from "../../../server/src/config.ts";
import { ROOT } from "../workspace.ts";
import type { Page } from "./markdown.ts";

/** What guides and examples call their own. */
const OF_READERS = ["SNAP_TOKEN", "SNAP_TOKEN_ID", "SNAP_SIGNING_SECRET", "SNAP_BASE_URL"];

/** The former schema of pg-boss, which a changeset tells operators to drop. */
const OF_EARLIER_RELEASES = ["snap_jobs"];

/** Finds the variables and figures that a page names and that there aren't. */
export function createNameCheck(): (page: Page) => string[] {
  const metrics = readFileSync(join(ROOT, "packages/server/src/operations/metrics.ts"), "utf8");
  const known = new Set([
    ...documentVariables().map(({ name }) => name),
    ...Array.from(metrics.matchAll(/name: "(snap_\w+)"/g), ([, name = ""]) => name),
    ...OF_READERS,
    ...OF_EARLIER_RELEASES,
  ]);
  return ({ path, text }) => {
    const named = new Set(text.match(/\b(?:SNAP_[A-Z_]*[A-Z]|snap_[a-z_]*[a-z])\b/g));
    return [...named].filter((name) => !known.has(name)).map((name) => `${path}: there is no ${name}`);
  };
}
