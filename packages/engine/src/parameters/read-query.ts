import { FaultList, PARAMETER_TABLE, type ParameterRow } from "@snap/protocol";

/** Decoded names and values of a query, in order, as `URLSearchParams` iterates them. */
export type QueryPairs = Iterable<readonly [string, string]>;

/** The kind of each parameter; if the modes differ, that of PDFs, which accepts more. */
const KINDS: ReadonlyMap<string, ParameterRow["kind"]> = new Map(
  PARAMETER_TABLE.map(({ name, kind }) => [name, kind]),
);

/**
 * Converts the text of a query to typed input for the schemas. Text that does not fit its parameter's type stays text,
 * so the schema rejects it. A repeated name is a fault; its first value is validated too, to report all faults at once.
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

/** Converts JSON values that may be text as in a query, or 1 or 0 for booleans. */
export function typedParameters(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, typedValue(name, value)]));
}

/** Converts a JSON value that may be text as in a query, or 1 or 0 for a boolean. */
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
    case "json":
      return parseJson(text);
    case "choice":
    case "selector":
    case "text":
    case "url":
    case undefined:
      return text;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
