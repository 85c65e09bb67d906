import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../workspace.ts";
import type { Entry, Side } from "./entry.ts";
import { ENTRIES } from "./groups.ts";
import { GALLERY, measuredFile, pictureFile, readMeasured } from "./page.ts";
import { openGallery, type Gallery, type Shown } from "./render.ts";
import { toThumbnail } from "./thumbnail.ts";

/** Renders per picture. The median of those after is compared with a limit. */
const RUNS = { before: 1, after: 3 } as const;

/**
 * Renders the entries with these names, or all entries, sequentially. Checks the pictures and their durations, prints a line
 * for each entry, and writes the pictures without problems to the documentation.
 *
 * @returns Whether there were no problems.
 */
export async function updateGallery(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !ENTRIES.some((entry) => entry.name === name));
  if (unknown.length > 0) throw new Error(`the gallery has no ${unknown.join(", ")}`);
  const entries = ENTRIES.filter(({ name }) => names.length === 0 || names.includes(name));
  const measured = { ...(await readMeasured().catch(() => ({}))) };
  const gallery = await openGallery(ENTRIES);
  await mkdir(join(ROOT, GALLERY), { recursive: true });
  // The first render also waits for the browser to start.
  for (const entry of entries.slice(0, 1)) await gallery.show(entry, "before");
  let isGood = true;
  try {
    for (const entry of entries) {
      const before = await update(gallery, entry, "before");
      const after = await update(gallery, entry, "after");
      const problems = [...before.problems, ...after.problems];
      if (after.durationMs > entry.after.maxMs)
        problems.push(`after took ${after.durationMs} ms, more than ${entry.after.maxMs} ms`);
      console.log(`${entry.name.padEnd(26)} ${before.durationMs} ms, ${after.durationMs} ms`);
      for (const problem of problems) console.error(`  ${problem}`);
      if (problems.length > 0) isGood = false;
      else measured[entry.name] = { before: before.durationMs, after: after.durationMs };
    }
  } finally {
    await gallery.close();
  }
  const [path, text] = measuredFile(measured);
  await writeFile(join(ROOT, path), text);
  return isGood;
}

interface Result {
  readonly problems: readonly string[];
  /** The median. */
  readonly durationMs: number;
}

/** Renders a picture several times, checks each render, and writes the last one if it has no problems. */
async function update(gallery: Gallery, entry: Entry, side: Side): Promise<Result> {
  const shown: Shown[] = [];
  for (let run = 0; run < RUNS[side]; run += 1) shown.push(await gallery.show(entry, side));
  const problems = [...new Set(shown.flatMap((each) => each.problems))];
  const [{ bytes } = { bytes: null }] = shown;
  if (bytes !== null && problems.length === 0)
    await writeFile(join(ROOT, GALLERY, pictureFile(entry, side)), toThumbnail(bytes));
  return { problems, durationMs: median(shown.map(({ durationMs }) => durationMs)) };
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0);
}
