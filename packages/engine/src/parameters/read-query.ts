import { pdfParameters, screenshotParameters } from "./schemas.ts";
import { FaultList } from "./fault-list.ts";
import * as z from "zod";

/** Names and values of a query in their order, decoded, as `URLSearchParams` iterates them. */
export type QueryPairs = Iterable<readonly [string, string]>;

type Conversion = "boolean" | "integer" | "number";

/** How the text of each parameter becomes a value: read off the definitions. */
const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map(
  [screenshotParameters, pdfParameters].flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([name, field]) => {
      const conversion = conversionOf(field);
      return conversion === null ? [] : [[name, conversion] as const];
    }),
  ),
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
    if (input.has(name)) faults.add(name, "must be sent once");
    else input.set(name, convert(name, text));
  }
  return { input, faults };
}

function convert(name: string, text: string): unknown {
  switch (CONVERSIONS.get(name)) {
    case "boolean":
      if (text === "true" || text === "1") return true;
      if (text === "false" || text === "0") return false;
      return text;
    case "integer":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case "number":
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case undefined:
      return text;
  }
}

function conversionOf(field: z.core.$ZodType): Conversion | null {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) return conversionOf(field.unwrap());
  if (field instanceof z.ZodBoolean) return "boolean";
  if (field instanceof z.ZodLiteral) return typeof field.value === "boolean" ? "boolean" : null;
  if (field instanceof z.ZodNumber) return field.format === "safeint" ? "integer" : "number";
  return null;
}
