import { LIMITS } from "@snap/protocol";
import * as z from "zod";
import { judgeTarget } from "../target/judge-target.ts";
import { PUBLIC_TARGETS_ONLY } from "../target/policy.ts";

/*
 * One field of the parameter table each (interface.md, GET /snap). The message of a field names the
 * values that would do, whatever the fault was.
 */

export interface FieldFacts {
  readonly description: string;
  readonly example?: unknown;
}

interface Range extends FieldFacts {
  readonly min: number;
  readonly max: number;
}

export function flag(facts: FieldFacts): z.ZodBoolean {
  return z.boolean({ error: "must be true, false, 1 or 0" }).meta({ ...facts });
}

export function integer({ min, max, ...facts }: Range): z.ZodInt {
  const error = `must be an integer from ${min} to ${max}`;
  return z
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .meta({ ...facts });
}

export function decimal({ min, max, ...facts }: Range): z.ZodNumber {
  const error = `must be a number from ${min} to ${max}`;
  return z
    .number({ error })
    .min(min, { error })
    .max(max, { error })
    .meta({ ...facts });
}

/** A number that means whole pixels: fractions are rounded. */
export function pixels(range: Range): z.ZodNumber {
  return decimal(range).overwrite(Math.round);
}

export function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  facts: FieldFacts,
): z.ZodEnum<z.core.util.ToEnum<T[number]>> {
  return z.enum(values, { error: `must be one of ${values.join(", ")}` }).meta({ ...facts });
}

/** Length in characters as a person counts them, not in UTF-16 code units. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const URL_ERROR = "must be an absolute address that starts with http:// or https://";

export function targetUrl(facts: FieldFacts): z.ZodString {
  return z
    .string({ error: (issue) => (issue.input === undefined ? `is required and ${URL_ERROR}` : URL_ERROR) })
    .check((context) => {
      const fault = (message: string): void => {
        context.issues.push({ code: "custom", message, input: context.value, continue: true });
      };
      if (characters(context.value) > LIMITS.urlCharacters) {
        fault(`must be at most ${LIMITS.urlCharacters} characters long`);
        return;
      }
      const verdict = judgeTarget(context.value, PUBLIC_TARGETS_ONLY);
      if (verdict === "malformed") fault(URL_ERROR);
      if (verdict === "credentials") fault("must not hold a user name or a password");
    })
    .meta({ ...facts, maxLength: LIMITS.urlCharacters, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" });
}

/** No single quote, backslash or control character (interface.md, `selector`). */
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const SELECTOR_PATTERN = /^[^'\\\u0000-\u001f\u007f-\u009f]+$/;

export function cssSelector(facts: FieldFacts): z.ZodString {
  const error = `must be a CSS selector of 1 to ${LIMITS.selectorCharacters} characters without single quotes, backslashes and control characters`;
  return z
    .string({ error })
    .regex(SELECTOR_PATTERN, { error })
    .refine((value) => characters(value) <= LIMITS.selectorCharacters, { error })
    .meta({ ...facts, maxLength: LIMITS.selectorCharacters });
}
