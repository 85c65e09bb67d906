import { ProblemList, fromText, PARAMETER_TABLE, type ParameterRow } from "@snap/protocol";

/** A query's decoded names and values, in the order in which `URLSearchParams` iterates them. */
export type QueryPairs = Iterable<readonly [string, string]>;

/** Each parameter's kind. Where the modes differ, it is the kind for PDFs, which accepts more. */
const KINDS: ReadonlyMap<string, ParameterRow["kind"]> = new Map(
  PARAMETER_TABLE.map(({ name, kind }) => [name, kind]),
);

/**
 * Converts a query's text to typed input for the schemas. Text that does not fit its parameter's type is left for the
 * schema to reject. A repeated name is a problem; its first value is also validated, so all problems are reported
 * together.
 */
export function readQuery(pairs: QueryPairs): { input: ReadonlyMap<string, unknown>; problems: ProblemList } {
  const input = new Map<string, unknown>();
  const problems = new ProblemList();
  for (const [name, text] of pairs) {
    if (input.has(name)) problems.add(name, "must be sent only once");
    else input.set(name, convert(name, text));
  }
  return { input, problems };
}

/** Applies `typedValue` to each value. */
export function typedParameters(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, typedValue(name, value)]));
}

/** Converts a JSON value, which may be text as in a query, or 1 or 0 for a boolean. */
export function typedValue(name: string, value: unknown): unknown {
  if (typeof value === "string") return convert(name, value);
  return KINDS.get(name) === "flag" && (value === 1 || value === 0) ? value === 1 : value;
}

function convert(name: string, text: string): unknown {
  return fromText(KINDS.get(name), text);
}
