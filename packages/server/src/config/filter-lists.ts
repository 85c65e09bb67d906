import {
  FILTER_LIST_BYTES_MAX,
  FILTER_LIST_PURPOSES,
  type FilterListPurpose,
  type FilterListTexts,
  findFilterListProblem,
  messageOf,
} from "@snap/engine/internals";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";

const FILES_MAX = 50;

/** A file of `SNAP_FILTER_LISTS`. */
export interface FilterListFile {
  readonly file: string;
  readonly purposes: readonly FilterListPurpose[];
  readonly text: string;
}

/** Files, separated by commas, each with an optional purpose: `ads:/etc/snap/easylist.txt`. */
export function filterLists(): z.ZodType<readonly FilterListFile[]> {
  return z.string().transform((text, context) => {
    const entries = text.split(",").map((entry) => entry.trim());
    if (entries.length > FILES_MAX) context.addIssue(`must be at most ${FILES_MAX} files`);
    return entries.slice(0, FILES_MAX).flatMap((entry) => {
      const list = readList(entry);
      if (typeof list !== "string") return [list];
      context.addIssue(list);
      return [];
    });
  });
}

/** Returns the list, or what is wrong with the entry. */
function readList(entry: string): FilterListFile | string {
  const [, prefix, path = ""] = /^(?:([a-z]+):)?(.*)$/.exec(entry) ?? [];
  const purpose = FILTER_LIST_PURPOSES.find((name) => name === prefix);
  if (prefix !== undefined && purpose === undefined)
    return `"${prefix}" is not a purpose; use ads:FILE, trackers:FILE, or FILE for both`;
  if (path === "") return "must be files such as ads:/etc/snap/easylist.txt, separated by commas";
  const file = resolve(path);
  try {
    const isTooLarge = statSync(file).size > FILTER_LIST_BYTES_MAX;
    const text = isTooLarge ? "" : readFileSync(file, "utf8");
    const problem = isTooLarge
      ? `is larger than ${FILTER_LIST_BYTES_MAX} bytes`
      : findFilterListProblem(text);
    if (problem !== null) return `${file} ${problem}`;
    return { file, text, purposes: purpose === undefined ? FILTER_LIST_PURPOSES : [purpose] };
  } catch (error) {
    return `must be readable files such as ads:/etc/snap/easylist.txt: ${messageOf(error)}`;
  }
}

/** Joins the lists for each purpose. */
export function joinFilterLists(files: readonly FilterListFile[]): FilterListTexts {
  return Object.fromEntries(
    FILTER_LIST_PURPOSES.flatMap((purpose) => {
      const texts = files.filter(({ purposes }) => purposes.includes(purpose)).map(({ text }) => text);
      return texts.length === 0 ? [] : [[purpose, texts.join("\n")]];
    }),
  );
}
