import { inspectFilterList, type FilterListReport } from "@snap/engine/internals";
import type { Command } from "commander";
import { readFilterLists } from "../config.ts";
import type { FilterListFile } from "../config/filter-lists.ts";
import { withJson } from "./admin.ts";
import { UsageError } from "./errors.ts";
import { formatCount } from "../format.ts";
import { printable } from "../operations/printable.ts";
import { formatTable, printJson, printLines } from "./output.ts";

/** `snap-server lists`: the filter lists for `blockAds` and `blockTrackers`. */
export function addLists(program: Command): void {
  const lists = program.command("lists").description("check the filter lists for ads and trackers");

  withJson(lists.command("check"))
    .description("read the files in SNAP_FILTER_LISTS, and report what they contain and how fast they are")
    .addHelpText(
      "after",
      `
The service reads the files when it starts. Restart it after you update them.`,
    )
    .action(check);
}

interface CheckedList extends FilterListReport {
  readonly list: FilterListFile;
}

async function check({ json }: { readonly json?: true }): Promise<void> {
  const files = readFilterLists(process.env);
  if (files.length === 0)
    throw new UsageError(
      "SNAP_FILTER_LISTS is not set",
      "set it to files such as ads:/etc/snap/easylist.txt,trackers:/etc/snap/easyprivacy.txt",
    );
  const checked: CheckedList[] = [];
  for (const list of files) checked.push({ list, ...(await inspectFilterList(list.text)) });
  if (json) return printJson(checked.map(toDocument));
  printLines(formatTable([HEADING, ...checked.map(toRow)]));
  const skipped = checked.flatMap(({ list, skippedFilters }) =>
    skippedFilters.map((filter) => `  ${list.file}: ${printable(filter)}`),
  );
  if (skipped.length > 0)
    printLines("", "Skipped, because these regular expressions can take exponential time:", ...skipped);
}

const HEADING = [
  "FILE",
  "PURPOSE",
  "NETWORK",
  "COSMETIC",
  "UNUSED",
  "SKIPPED",
  "UNSUPPORTED",
  "COMPILE",
  "MATCH",
];

function toRow({ list, ...report }: CheckedList): readonly string[] {
  return [
    list.file,
    list.purposes.join(", "),
    formatCount(report.networkFilters),
    formatCount(report.cosmeticFilters),
    formatCount(report.unusedFilters),
    formatCount(report.skippedFilters.length),
    formatCount(report.unsupportedLines),
    `${report.compileMs} ms`,
    `${report.matchMicroseconds} µs`,
  ];
}

function toDocument({ list, ...report }: CheckedList): unknown {
  return {
    file: list.file,
    purposes: list.purposes,
    network_filters: report.networkFilters,
    cosmetic_filters: report.cosmeticFilters,
    unused_filters: report.unusedFilters,
    skipped_filters: report.skippedFilters,
    unsupported_lines: report.unsupportedLines,
    compile_ms: report.compileMs,
    match_microseconds: report.matchMicroseconds,
  };
}
