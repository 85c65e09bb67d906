import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { ROOT } from "../workspace.ts";
import { maxMsOf, type Entry, type Side } from "./entry.ts";
import { ENTRIES } from "./groups.ts";
import { GALLERY, durationsFile, pictureFile, readDurations } from "./page.ts";
import { openGallery, type Gallery, type RenderedPicture } from "./render.ts";

/** Renders per picture. The median time of the renders of `after` is compared with a limit. */
const RUNS = { before: 1, after: 3 } as const;

/** Updates the entries with these names; all entries if there are no names. Returns false if there were problems. */
export async function updateGallery(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !ENTRIES.some((entry) => entry.name === name));
  if (unknown.length > 0)
    throw new Error(
      `unknown gallery entry: ${unknown.join(", ")}; packages/workshop/src/gallery/pages has the names`,
    );
  const entries = ENTRIES.filter(({ name }) => names.length === 0 || names.includes(name));
  const gallery = await openGallery(ENTRIES);
  try {
    // Warm-up, not measured: the first render also waits for the browser to start.
    for (const entry of entries.slice(0, 1)) await gallery.show(entry, "before");
    return await updateEntries(entries, gallery, ROOT);
  } finally {
    await gallery.close();
  }
}

/**
 * Renders entries sequentially, checks the pictures and the duration of `after`, and prints a line
 * for each entry. Writes an entry's pictures and durations if it has no problems, and removes the
 * pictures of former entries.
 *
 * @returns False if there were problems.
 */
export async function updateEntries(
  entries: readonly Entry[],
  gallery: Pick<Gallery, "show">,
  root: string,
): Promise<boolean> {
  const folder = join(root, GALLERY);
  await mkdir(folder, { recursive: true });
  const durations = { ...(await readDurations(root).catch(() => ({}))) };
  let allPassed = true;
  for (const entry of entries) {
    const before = await show(gallery, entry, "before");
    const after = await show(gallery, entry, "after");
    const problems = [...before.problems, ...after.problems];
    if (after.durationMs > maxMsOf(entry))
      problems.push(`after took ${after.durationMs} ms, more than ${maxMsOf(entry)} ms`);
    console.log(`${entry.name.padEnd(26)} ${before.durationMs} ms, ${after.durationMs} ms`);
    for (const problem of problems) console.error(`  ${problem}`);
    if (problems.length > 0) {
      allPassed = false;
      continue;
    }
    Object.assign(durations, { [entry.name]: { before: before.durationMs, after: after.durationMs } });
    const [path, text] = durationsFile(durations);
    await writeFile(join(root, path), text);
    await writeFile(join(folder, pictureFile(entry, "before")), await toThumbnail(before.bytes));
    await writeFile(join(folder, pictureFile(entry, "after")), await toThumbnail(after.bytes));
  }
  const pictures = new Set(
    ENTRIES.flatMap((entry) => [pictureFile(entry, "before"), pictureFile(entry, "after")]),
  );
  for (const file of await readdir(folder))
    if (file.endsWith(".png") && !pictures.has(file)) await rm(join(folder, file));
  return allPassed;
}

/** Renders a picture `RUNS[side]` times. Returns the last render, all problems, and the median duration. */
async function show(gallery: Pick<Gallery, "show">, entry: Entry, side: Side): Promise<RenderedPicture> {
  const shown: RenderedPicture[] = [];
  for (let run = 0; run < RUNS[side]; run += 1)
    shown.push(
      await gallery.show(entry, side).catch((error: unknown) => ({
        bytes: new Uint8Array(),
        problems: [`${side} failed: ${String(error)}`],
        durationMs: 0,
      })),
    );
  return {
    bytes: shown.at(-1)?.bytes ?? new Uint8Array(),
    problems: [...new Set(shown.flatMap(({ problems }) => problems))],
    durationMs: median(shown.map(({ durationMs }) => durationMs)),
  };
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0);
}

/** Scales a PNG down to its size on the page, and compresses it well. */
function toThumbnail(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes)
    .resize({ width: 400, height: 640, fit: "inside", withoutEnlargement: true })
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}
