import { pdfParameters, screenshotParameters, type Ability } from "@snap/engine";
import * as z from "zod";
import { contentShape } from "../openapi/captures.ts";

/** A JSON schema of an object. */
export type ObjectSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

/**
 * The JSON schema of a render tool's arguments: the parameters of its mode, from the definitions that validate them,
 * and content in place of `url`. Without `pdf`, because the tool implies the mode. The schema does not require exactly
 * one page, because some clients reject unions at the top level.
 */
export function inputSchema(mode: Ability): ObjectSchema {
  const { pdf: _, ...shape } = mode === "pdf" ? pdfParameters.shape : screenshotParameters.shape;
  const { description, ...about } = shape.url.meta() ?? {};
  const url = shape.url
    .optional()
    .meta({ ...about, description: `${description} Or send html or markdown.` });
  return toObjectSchema(z.strictObject({ ...shape, url, ...contentShape }));
}

/** Omits `$schema`: the protocol defines the dialect, and some clients reject an unknown one. */
export function toObjectSchema(object: z.ZodType): ObjectSchema {
  const {
    $schema: _,
    $ref: reference,
    $defs,
    ...schema
  } = z.toJSONSchema(object, {
    io: "input",
    override({ jsonSchema }) {
      const { example } = jsonSchema;
      delete jsonSchema["example"];
      // The format already implies it.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      // JSON Schema uses a list of examples.
      if (example !== undefined) Object.assign(jsonSchema, { examples: [example] });
    },
  });
  // Inlines a named schema, because clients expect the properties at the top level.
  return { ...schema, ...$defs?.[reference?.replace("#/$defs/", "") ?? ""], type: "object" };
}
