import { toQuery } from "@snap/protocol";
import { slug } from "github-slugger";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { code, count, table, type ReferencePage } from "../docs/reference/page.ts";
import { ROOT } from "../workspace.ts";
import {
  changedParameters,
  COMMON,
  maxMsOf,
  type Entry,
  type Picture,
  type PictureParameters,
  type Side,
} from "./entry.ts";
import { ENTRIES, GROUPS } from "./groups.ts";

/** The folder of the page and its pictures, from the root. */
export const GALLERY = "docs/gallery";
const DURATIONS_PATH = `${GALLERY}/measured.json`;

/** Milliseconds of each entry's renders, by its name. */
export type EntryDurations = Readonly<Record<string, { readonly before: number; readonly after: number }>>;

export async function readDurations(root = ROOT): Promise<EntryDurations> {
  return JSON.parse(await readFile(join(root, DURATIONS_PATH), "utf8")) as EntryDurations;
}

/** The file with the durations, formatted. */
export function durationsFile(durations: EntryDurations): readonly [path: string, text: string] {
  const sorted = ENTRIES.flatMap(({ name }) => (durations[name] ? [[name, durations[name]]] : []));
  return [DURATIONS_PATH, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`];
}

/** The gallery's page, with the durations of the last `pnpm site gallery`. */
export async function galleryPage(): Promise<ReferencePage> {
  const durations = await readDurations();
  return {
    file: "index.md",
    title: "Gallery",
    summary: SUMMARY,
    parts: () => [
      EXPLANATION,
      ...GROUPS.flatMap(({ title, entries }) => {
        const parts = entries.map((entry) =>
          [`### ${entry.title}`, entry.about, entryTable(entry, durations)].join("\n\n"),
        );
        return [`## ${title}`, parts.join("\n\n")];
      }),
    ],
  };
}

const SUMMARY =
  'Pages that are hard to render, each shown before and after some parameters are added. In most of the "after" pictures, green should be visible and red should not.';
const EXPLANATION = `Every picture is rendered with ${code(queryText(COMMON))}, unless the table shows other values or a device. Large pictures are scaled down. Times were measured on a small machine with two cores that also serves the pages: one render for "before", and the median of three sequential renders for "after". \`pnpm site gallery\` renders the pictures, checks their sizes, colors and notes, and fails if any of these is wrong or the median time exceeds the limit in the table.`;

function entryTable(entry: Entry, durations: EntryDurations): string {
  const entryDurations = durations[entry.name];
  if (entryDurations === undefined)
    throw new Error(`${DURATIONS_PATH} has no ${entry.name}; run \`pnpm site gallery ${entry.name}\``);
  const picture = (side: Side): string =>
    `![${entry.title.replaceAll("`", "")}, ${side}](${pictureFile(entry, side)})`;
  return table(
    ["", "before", "after"],
    [
      ["picture", picture("before"), picture("after")],
      ["query", describeQuery(entry.before), describeQuery(entry.after)],
      ["notes", describeNotes(entry.before), describeNotes(entry.after)],
      [
        "time",
        `${count(entryDurations.before)} ms`,
        `${count(entryDurations.after)} ms, at most ${count(maxMsOf(entry))} ms`,
      ],
    ],
  );
}

/** The name of a picture's file, in the folder of the page. */
export function pictureFile({ name }: Entry, side: Side): string {
  return `${name}-${side}.png`;
}

function describeQuery({ parameters }: Picture): string {
  const text = queryText(parameters);
  return text === "" ? "defaults" : code(text);
}

function describeNotes({ expected: { notes } }: Picture): string {
  return notes.length === 0 ? "none" : notes.map(code).join(", ");
}

/** A query that people can read: only characters that would change its meaning are encoded. */
export function queryText(parameters: PictureParameters): string {
  return Array.from(toQuery(parameters), ([name, value]) => {
    return `${name}=${value.replaceAll(/[%&#+ ]/g, encodeURIComponent)}`;
  }).join("&");
}

/** Returns a link from `docs/reference` to the entry that shows a parameter best; `null` if there is none. */
export function linkToEntry(parameter: string): string | null {
  const [best] = ENTRIES.filter((entry) => changedParameters(entry).includes(parameter)).toSorted(
    (one, other) => changedParameters(one).length - changedParameters(other).length,
  );
  return best ? `../gallery/index.md#${slug(best.title)}` : null;
}
