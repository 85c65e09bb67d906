import type { PageRequest } from "@snap/engine/ports";
import type { AdminCountedList } from "@snap/protocol";
import { InvalidArgumentError, type Command, type Option } from "commander";
import { withJson } from "./admin.ts";
import { quoteIfNeeded } from "../quote.ts";
import { formatCount } from "../format.ts";
import { formatTable, printJson, printLines } from "./output.ts";

/** Entries per page, without `--limit`. */
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

export interface ListOptions {
  readonly limit?: number;
  readonly after?: string;
  readonly json?: true;
}

/** A list, and how to print it. */
interface List<Entry> {
  /** Such as `accounts`; the field of the JSON document. */
  readonly name: string;
  readonly readPage: (request: PageRequest) => Promise<AdminCountedList<Entry>>;
  readonly heading: readonly string[];
  readonly row: (entry: Entry) => readonly string[];
  /** Lines to print for an empty list. */
  readonly emptyMessage: readonly string[];
}

/** Adds `--json`, `--limit` and `--after`. */
export function withPaging(command: Command): Command {
  return withJson(command)
    .option(
      "--limit <number>",
      `maximum number of entries; ${DEFAULT_LIMIT} by default, or all with --json but without --after`,
      parseLimit,
    )
    .option("--after <id>", "only entries after this id, the last one of the previous page");
}

/**
 * Prints a page of a list as a table. With `--json`, prints an array of all entries or, if `--limit` or `--after` is
 * passed, an object with the page's entries, the number of `more` entries and the `next` value of `--after`.
 */
export async function printList<Entry extends { readonly id: string | number }>(
  command: Command,
  list: List<Entry>,
): Promise<void> {
  const { limit, after, json } = command.opts<ListOptions>();
  if (json && limit === undefined && after === undefined) return printJson(await readAll(list.readPage));
  const { entries, more } = await list.readPage({ limit: limit ?? DEFAULT_LIMIT, after });
  const next = more === 0 ? null : String(entries.at(-1)?.id);
  if (json) return printJson({ [list.name]: entries, more, next });
  if (entries.length === 0)
    return printLines(...(isFiltered(command) ? [`No matching ${list.name}.`] : list.emptyMessage));
  printLines(formatTable([list.heading, ...entries.map(list.row)]));
  if (next !== null) printLines("", `${formatCount(more)} more: ${nextCommand(command, next)}`);
}

async function readAll<Entry extends { readonly id: string | number }>(
  readPage: List<Entry>["readPage"],
): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for (let after: string | undefined; ;) {
    const { entries, more } = await readPage({ limit: MAX_LIMIT, after });
    all.push(...entries);
    if (more === 0) return all;
    after = String(entries.at(-1)?.id);
  }
}

/** Returns whether the options select only some of the entries. */
function isFiltered(command: Command): boolean {
  return givenOptions(command).some(
    (option) => !option.mandatory && !["json", "limit"].includes(option.attributeName()),
  );
}

/** Returns the command line of the next page, with the same filters. */
function nextCommand(command: Command, next: string): string {
  const words = [command.parent?.parent, command.parent, command].map((part) => part?.name() ?? "");
  const options = givenOptions(command).flatMap((option) => {
    const name = option.attributeName();
    if (name === "json" || name === "after") return [];
    const value: unknown = command.getOptionValue(name);
    return value === true ? [String(option.long)] : [String(option.long), quoteIfNeeded(String(value))];
  });
  return [...words, ...options, "--after", quoteIfNeeded(next)].join(" ");
}

function givenOptions(command: Command): readonly Option[] {
  return command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");
}

/** @throws InvalidArgumentError */
function parseLimit(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_LIMIT) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}
