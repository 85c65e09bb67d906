import {
  encodeSpaces,
  fieldMessage,
  isSelector,
  isTooLongUrl,
  LIMITS,
  type ParameterField,
  SELECTOR_PATTERN,
  URL_MESSAGES,
} from "@snap/protocol";
import * as z from "zod";
import { judgeTarget } from "../targets/judge.ts";
import { PUBLIC_TARGETS_ONLY } from "../targets/policy.ts";

/*
 * A schema for each kind of field of the parameter table, with what descriptions of the API say of it.
 */

type Field<Kind extends ParameterField["kind"]> = Extract<ParameterField, { readonly kind: Kind }>;

export interface FieldFacts {
  readonly description: string;
  readonly example?: unknown;
}

export function flag(field: Field<"flag">, facts: FieldFacts): z.ZodDefault<z.ZodBoolean> {
  const error = fieldMessage(field);
  return z
    .boolean({ error })
    .meta({ ...facts })
    .default(field.default);
}

export function modeFlag<const F extends Field<"mode">>(
  field: F,
  facts: FieldFacts,
): z.ZodLiteral<F["value"]> {
  return z.literal(field.value, { error: fieldMessage(field) }).meta({ ...facts });
}

export function integer(field: Field<"integer">, facts: FieldFacts): z.ZodNumber {
  const error = fieldMessage(field);
  return z
    .number({ error })
    .check(({ value, issues }) => {
      // zod's own refusal of a fraction would keep the rules between fields from running.
      if (!Number.isInteger(value)) issues.push({ code: "custom", message: error, input: value });
    })
    .int({ error })
    .min(field.min, { error })
    .max(field.max, { error })
    .meta({ ...facts });
}

export function decimal(field: Field<"decimal" | "pixels">, facts: FieldFacts): z.ZodNumber {
  const error = fieldMessage(field);
  const schema = z
    .number({ error })
    .min(field.min, { error })
    .max(field.max, { error })
    .meta({ ...facts });
  return field.kind === "pixels" ? schema.overwrite(Math.round) : schema;
}

export function choice<const F extends Field<"choice">>(
  field: F,
  facts: FieldFacts,
): z.ZodEnum<z.core.util.ToEnum<F["values"][number]>> {
  const values: F["values"] = field.values;
  return z.enum(values, { error: fieldMessage(field) }).meta({ ...facts });
}

export function targetUrl(field: Field<"url">, facts: FieldFacts): z.ZodString {
  return z
    .string({ error: ({ input }) => (input === undefined ? URL_MESSAGES.missing : fieldMessage(field)) })
    .check(({ value, issues }) => {
      const verdict = isTooLongUrl(value) ? "tooLong" : judgeTarget(value, PUBLIC_TARGETS_ONLY);
      // Whether a host is blocked is asked once the parameters are known to be well formed.
      if (verdict === "ok" || verdict === "blocked") return;
      issues.push({ code: "custom", message: URL_MESSAGES[verdict], input: value, continue: true });
    })
    .overwrite(encodeSpaces)
    .meta({ ...facts, maxLength: LIMITS.urlCharacters, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" });
}

export function cssSelector(field: Field<"selector">, facts: FieldFacts): z.ZodString {
  const error = fieldMessage(field);
  return z
    .string({ error })
    .regex(SELECTOR_PATTERN, { error })
    .refine(isSelector, { error })
    .meta({ ...facts, maxLength: LIMITS.selectorCharacters });
}
