import {
  canonicalJson,
  canonicalText,
  checkRules,
  encodeSpaces,
  fieldMessage,
  isSelector,
  isTooLongUrl,
  LIMITS,
  PARAMETERS,
  selectorPattern,
  URL_MESSAGES,
  type Mode,
  type ParameterRow,
  type PdfParameters,
  type PdfValues,
  type ScreenshotParameters,
  type ScreenshotValues,
} from "@snap/protocol";
import * as z from "zod";
import { classifyTarget } from "../targets/target.ts";
import { PUBLIC_TARGETS_ONLY } from "../targets/policy.ts";

/*
 * The parameter table as zod schemas, for validation and for the descriptions of the API.
 */

export const screenshotParameters: ParameterSchema<ScreenshotParameters, ScreenshotValues> =
  schemaOf("screenshot");
export const pdfParameters: ParameterSchema<PdfParameters, PdfValues & { readonly pdf: true }> =
  schemaOf("pdf");

/** A schema whose `shape` contains one schema for each parameter. */
interface ParameterSchema<Output, Input> extends z.ZodType<Output, Input> {
  readonly shape: Readonly<Record<keyof Input, z.ZodType>>;
}

function schemaOf<Output, Input>(mode: Mode): ParameterSchema<Output, Input> {
  const shape = Object.fromEntries(
    Object.values(PARAMETERS[mode]).map((row) => [row.name, fieldOf(row, mode)]),
  );
  const schema = z.strictObject(shape).superRefine(
    (values, context) => {
      checkRules(mode, values, (name, message) => {
        context.addIssue({ code: "custom", path: [name], message });
      });
    },
    // one response lists every error: the rules run even if individual parameters are invalid
    { when: () => true },
  );
  return schema as unknown as ParameterSchema<Output, Input>;
}

function fieldOf(row: ParameterRow, mode: Mode): z.ZodType {
  const { description, example } = row;
  if (row.name === "pdf") {
    const isPdf = mode === "pdf";
    const value = z.literal(isPdf, { error: fieldMessage(row) }).meta({ description, example: isPdf });
    return isPdf ? value : value.default(false);
  }
  const value = valueOf(row).meta({ description, example });
  if (row.default !== undefined) return value.default(row.default);
  return row.kind === "url" ? value : value.optional();
}

function valueOf(row: ParameterRow): z.ZodType {
  const error = fieldMessage(row);
  switch (row.kind) {
    case "flag":
      return z.boolean({ error });
    case "choice":
      return z.enum(row.values, { error: ({ input }) => fieldMessage(row, input) });
    case "integer":
      return (
        z
          .number({ error })
          // zod's own integer check would prevent the rules across parameters from running
          .check(({ value, issues }) => {
            if (!Number.isInteger(value)) issues.push({ code: "custom", message: error, input: value });
          })
          .int({ error })
          .min(row.min, { error })
          .max(row.max, { error })
      );
    case "decimal":
      return z.number({ error }).min(row.min, { error }).max(row.max, { error });
    case "pixels":
      return z.number({ error }).min(row.min, { error }).max(row.max, { error }).overwrite(Math.round);
    case "url":
      return targetUrl();
    case "selector": {
      const explained = {
        error: ({ input }: { readonly input?: unknown }): string => fieldMessage(row, input),
      };
      return z
        .string({ error })
        .regex(selectorPattern(row), explained)
        .refine((text) => isSelector(row, text), explained)
        .meta({ maxLength: row.maxCharacters });
    }
    case "json":
      return z
        .unknown()
        .check(({ value, issues }) => {
          if (canonicalJson(row, value) === null)
            issues.push({
              code: "custom",
              message: fieldMessage(row, value),
              input: value,
              continue: true,
            });
        })
        .overwrite((value) => canonicalJson(row, value) ?? value)
        .meta(row.schema);
    case "text":
      return z
        .string({ error })
        .check(({ value, issues }) => {
          if (canonicalText(row, value) === null)
            issues.push({ code: "custom", message: fieldMessage(row, value), input: value, continue: true });
        })
        .overwrite((text) => canonicalText(row, text) ?? text)
        .meta({ minLength: 1, maxLength: row.maxCharacters });
  }
}

function targetUrl(): z.ZodType {
  return z
    .string({ error: ({ input }) => (input === undefined ? URL_MESSAGES.missing : URL_MESSAGES.malformed) })
    .check(({ value, issues }) => {
      const verdict = isTooLongUrl(value) ? "tooLong" : classifyTarget(value, PUBLIC_TARGETS_ONLY);
      // a blocked host is reported later, if all parameters are valid
      if (verdict === "ok" || verdict === "blocked") return;
      issues.push({ code: "custom", message: URL_MESSAGES[verdict], input: value, continue: true });
    })
    .overwrite(encodeSpaces)
    .meta({ maxLength: LIMITS.urlCharacters, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" });
}
