import { pdfParameters, screenshotParameters, type Ability } from "@snap/engine";
import * as z from "zod";

/** A JSON schema of an object. */
export type ObjectSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

/**
 * What a render tool accepts, as JSON schema: the parameters of its mode, from the definitions that
 * validate. `pdf` is left out, for the tool itself tells the mode.
 */
export function inputSchema(mode: Ability): ObjectSchema {
  const { pdf: _, ...shape } = mode === "pdf" ? pdfParameters.shape : screenshotParameters.shape;
  return toObjectSchema(z.strictObject(shape));
}

/** Without `$schema`: the protocol names the dialect, and some clients refuse one that they don't know. */
export function toObjectSchema(object: z.ZodType): ObjectSchema {
  const {
    $schema: _,
    $ref: named,
    $defs,
    ...schema
  } = z.toJSONSchema(object, {
    io: "input",
    override({ jsonSchema }) {
      const { example } = jsonSchema;
      delete jsonSchema["example"];
      // Says no more than the format does, at length.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      // JSON schema has a list of examples.
      if (example !== undefined) Object.assign(jsonSchema, { examples: [example] });
    },
  });
  // What has a name elsewhere is written out here: clients look for the properties.
  return { ...schema, ...$defs?.[named?.replace("#/$defs/", "") ?? ""], type: "object" };
}
