import {
  canonicalJson,
  canonicalText,
  checkField,
  checkRules,
  effectiveDefault,
  encodeSpaces,
  fieldMessage,
  LIMITS,
  PARAMETERS,
  PARAMETER_TABLE,
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
import { classifySentUrl } from "../targets/target.ts";
import { PUBLIC_TARGETS_ONLY } from "../targets/policy.ts";

/*
 * The parameter table as zod schemas, for validation and for the descriptions of the API.
 */

/** Parameters that cannot be sent with some others, even with their default value. */
const EXCLUDED: ReadonlySet<string> = new Set(
  PARAMETER_TABLE.flatMap(({ excludesSent = [] }) => excludesSent),
);

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
  const { example } = row;
  // some generated clients send every `default`, even together with a parameter that excludes it
  const hidesDefault = EXCLUDED.has(row.name);
  const description = row.default === undefined || hidesDefault ? withDefault(row) : row.description;
  if (row.name === "pdf") {
    const isPdf = mode === "pdf";
    const value = z.literal(isPdf, { error: fieldMessage(row) }).meta({ description, example: isPdf });
    return isPdf ? value : value.default(false);
  }
  const value = valueSchemaOf(row).meta({ description, example });
  if (row.default !== undefined && hidesDefault)
    return value.default(row.default).meta({ description, default: undefined });
  if (row.default !== undefined) return value.default(row.default);
  return row.kind === "url" ? value : value.optional();
}

/** Returns the description with the default, which some descriptions already contain. */
export function withDefault(row: ParameterRow): string {
  const { description } = row;
  const value = effectiveDefault(row);
  const isStated =
    description.includes(`${value} by default`) || description.includes(`By default \`${value}\``);
  return value === undefined || isStated ? description : `${description} Default: \`${value}\`.`;
}

function valueSchemaOf(row: ParameterRow): z.ZodType {
  if (row.kind === "url") return targetUrl();
  return z
    .unknown()
    .check(({ value, issues }) => {
      const message = checkField(row, value);
      if (message !== null) issues.push({ code: "custom", message, input: value, continue: true });
    })
    .overwrite((value) => canonicalOf(row, value))
    .meta({
      ...jsonSchemaOf(row),
      ...(row.default !== undefined && !EXCLUDED.has(row.name) && { default: row.default }),
    });
}

/** Returns the canonical form of a valid value. */
function canonicalOf(row: ParameterRow, value: unknown): unknown {
  if (row.kind === "pixels" && typeof value === "number") return Math.round(value);
  if (row.kind === "text" && typeof value === "string") return canonicalText(row, value) ?? value;
  return row.kind === "json" ? (canonicalJson(row, value) ?? value) : value;
}

/** `check` and `overwrite` accept any value, so the schemas in descriptions are stated here. */
function jsonSchemaOf(row: Exclude<ParameterRow, { readonly kind: "url" }>): object {
  switch (row.kind) {
    case "flag":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: row.values };
    case "integer":
      return { type: "integer", minimum: row.min, maximum: row.max };
    case "decimal":
    case "pixels":
      return { type: "number", minimum: row.min, maximum: row.max };
    case "selector":
      return { type: "string", maxLength: row.maxCharacters, pattern: selectorPattern(row).source };
    case "text":
      return { type: "string", minLength: 1, maxLength: row.maxCharacters };
    case "json":
      return row.schema;
  }
}

/** Query decoders replace bytes that are not UTF-8, such as %E9, with this character. */
const REPLACEMENT_CHARACTER = "\u{FFFD}";
const NOT_UTF8 =
  "must not contain U+FFFD, which replaces bytes that are not UTF-8; in a query, percent-encode the URL, so that %E9 becomes %25E9";

function targetUrl(): z.ZodType {
  return z
    .string({ error: ({ input }) => (input === undefined ? URL_MESSAGES.missing : URL_MESSAGES.malformed) })
    .check(({ value, issues }) => {
      const verdict = classifySentUrl(value, PUBLIC_TARGETS_ONLY);
      // a blocked host is reported later, if all parameters are valid
      const isTarget = verdict === "ok" || verdict === "blocked";
      if (isTarget && !value.includes(REPLACEMENT_CHARACTER)) return;
      issues.push({ code: "custom", message: isTarget ? NOT_UTF8 : URL_MESSAGES[verdict], input: value });
    })
    .overwrite(encodeSpaces)
    .meta({ maxLength: LIMITS.urlCharacters, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" });
}
