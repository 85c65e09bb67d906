import { FaultList, PARAMETER_TABLE, type ParameterRow } from "@snap/protocol";

/** Names and values of a query in their order, decoded, as `URLSearchParams` iterates them. */
export type QueryPairs = Iterable<readonly [string, string]>;

/** The kind of each parameter; where the modes differ, the PDF's, which is the wider one. */
const KINDS: ReadonlyMap<string, ParameterRow["kind"]> = new Map(
  PARAMETER_TABLE.map(({ name, kind }) => [name, kind]),
);

/**
 * Turns the text of a query into typed input for the definitions. Text that isn't of its parameter's
 * type stays text, so that the definition itself refuses it. A name that occurs twice is a fault; its
 * first value goes on, so that no other fault stays hidden.
 */
export function readQuery(pairs: QueryPairs): { input: ReadonlyMap<string, unknown>; faults: FaultList } {
  const input = new Map<string, unknown>();
  const faults = new FaultList();
  for (const [name, text] of pairs) {
    if (input.has(name)) faults.add(name, "must be sent only once");
    else input.set(name, convert(name, text));
  }
  return { input, faults };
}

/** A value of JSON that may be written as in a query: text, and 1 or 0 for a boolean. */
export function typedValue(name: string, value: unknown): unknown {
  if (typeof value === "string") return convert(name, value);
  return KINDS.get(name) === "flag" && (value === 1 || value === 0) ? value === 1 : value;
}

function convert(name: string, text: string): unknown {
  switch (KINDS.get(name)) {
    case "flag":
      if (text === "true" || text === "1") return true;
      if (text === "false" || text === "0") return false;
      return text;
    case "integer":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case "decimal":
    case "pixels":
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case "choice":
    case "selector":
    case "url":
    case undefined:
      return text;
  }
}
