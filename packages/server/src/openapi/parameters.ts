import { pdfParameters, screenshotParameters, type Ability } from "@snap/engine";
import { withDefault } from "@snap/engine/internals";
import {
  ANSWERS,
  PARAMETER_GROUPS,
  PARAMETERS,
  type ParameterGroup,
  type ParameterRow,
} from "@snap/protocol";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { answerShape } from "./rendering-schemas.ts";

/** JSON schema of one value. */
export type ValueSchema = Readonly<Record<string, unknown>>;

/** One query parameter of `GET /snap`, as documented. */
export interface DocumentedParameter {
  readonly name: string;
  readonly required: boolean;
  readonly group: ParameterGroup;
  readonly description: string;
  readonly example: unknown;
  /** Type, range and, if it can be sent in both modes, the default; `anyOf` if the modes differ. */
  readonly schema: ValueSchema;
  readonly acceptedIn: readonly Ability[];
}

/** Every parameter once, by topic, with both modes merged; derived from the schemas that validate them. */
export function documentedParameters(): readonly DocumentedParameter[] {
  const inScreenshot = describeMode("screenshot");
  const inPdf = describeMode("pdf");
  const names = new Set([...inScreenshot.keys(), ...inPdf.keys()]);
  const parameters = Array.from(names, (name) => {
    const [screenshot, pdf] = [inScreenshot.get(name), inPdf.get(name)];
    if (screenshot !== undefined && pdf !== undefined) return mergeModes(screenshot, pdf);
    const parameter = screenshot ?? pdf;
    if (parameter === undefined) throw new Error(`${name} has no definition`);
    const mode = parameter === screenshot ? "Screenshots" : "PDFs";
    return { ...parameter, description: `${mode} only. ${parameter.description}` };
  });
  const rank = ({ group }: DocumentedParameter): number => PARAMETER_GROUPS.indexOf(group);
  return parameters.toSorted((left, right) => rank(left) - rank(right));
}

/** A parameter of an operation, in OpenAPI form. */
export interface OperationParameter {
  readonly name: string;
  readonly in: "query" | "header" | "path";
  readonly required: boolean;
  readonly description: string;
  readonly schema: ValueSchema;
  readonly example?: unknown;
  readonly [extension: `x-${string}`]: unknown;
}

/** Parameters of `GET /snap`, which `GET /snap/signed` shares unless they are secret. */
export function renderParameters(): OperationParameter[] {
  return [
    ...documentedParameters().map((parameter) => ({
      name: parameter.name,
      in: "query" as const,
      required: parameter.required,
      description: parameter.description,
      schema: schemaInQuery(parameter),
      example: isStructure(parameter) ? JSON.stringify(parameter.example) : parameter.example,
      "x-accepted-in": parameter.acceptedIn,
    })),
    ifNoneMatch("Entity tags of renderings that you already have; lists, weak tags and `*` are accepted."),
  ];
}

/** The header of a request for a rendering that the caller may already have. */
export function ifNoneMatch(description: string): OperationParameter {
  return { name: "If-None-Match", in: "header", required: false, description, schema: { type: "string" } };
}

/** The id in the path of an operation. */
export function pathId(description: string): OperationParameter {
  return { name: "id", in: "path", required: true, description, schema: { type: "string" } };
}

/** A structure is JSON text in a query. */
function schemaInQuery(parameter: DocumentedParameter): ValueSchema {
  if (!isStructure(parameter)) return parameter.schema;
  return { type: "string", contentMediaType: "application/json", contentSchema: parameter.schema };
}

function isStructure({ example }: DocumentedParameter): boolean {
  return typeof example === "object";
}

/** The parameters of `GET /snap` that select its response. */
export const ANSWER_PARAMETERS: readonly OperationParameter[] = [
  {
    name: "answer",
    in: "query",
    required: false,
    description: answerShape.answer.description ?? "",
    schema: { type: "string", enum: [...ANSWERS], default: "file" },
    example: "json",
  },
];

/** Parameters that authenticate a signed URL. */
export const SIGNED_URL_PARAMETERS: readonly OperationParameter[] = [
  {
    name: "tokenId",
    in: "query",
    required: true,
    description: "Id of the token that signs the URL: the number before the pipe. Not secret.",
    schema: { type: "integer", minimum: 1 },
    example: 1,
  },
  {
    name: "expires",
    in: "query",
    required: false,
    description:
      "Unix time in seconds when the URL expires; without it, the URL works as long as the token and its signing secret are valid.",
    schema: { type: "integer", minimum: 0 },
    example: 4102444800,
  },
  {
    name: "signature",
    in: "query",
    required: true,
    description: "Lowercase hex HMAC-SHA256 over every other parameter.",
    schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
    example: "0".repeat(64),
  },
];

function describeMode(mode: Ability): ReadonlyMap<string, DocumentedParameter> {
  const schema = mode === "pdf" ? pdfParameters : screenshotParameters;
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input" });
  const rows: readonly ParameterRow[] = Object.values(PARAMETERS[mode]);
  return new Map(
    rows.map((row) => {
      const { name, group, description, example } = row;
      const {
        description: _,
        example: __,
        default: defaultValue,
        ...value
      } = properties[name] as ValueSchema;
      const isSafeDefault = defaultValue !== undefined && isDefaultInBothModes(name, defaultValue);
      const parameter = {
        name,
        required: required.includes(name),
        group,
        description: isSafeDefault ? description : withDefault(row),
        example,
        schema: isSafeDefault ? { ...value, default: defaultValue } : value,
        acceptedIn: [mode],
      };
      return [name, parameter];
    }),
  );
}

/**
 * Some generated clients send every `default`, so there is one only if sending it makes no difference in either mode.
 * The description has the others.
 */
function isDefaultInBothModes(name: string, value: unknown): boolean {
  const modes: readonly Readonly<Record<string, ParameterRow>>[] = Object.values(PARAMETERS);
  return modes.every((rows) => rows[name]?.default === value);
}

function mergeModes(screenshot: DocumentedParameter, pdf: DocumentedParameter): DocumentedParameter {
  const merged = {
    ...screenshot,
    required: screenshot.required && pdf.required,
    acceptedIn: [...screenshot.acceptedIn, ...pdf.acceptedIn],
  };
  // `pdf` has one value in each mode
  if (merged.name === "pdf") return { ...merged, schema: { type: "boolean", default: false } };
  if (screenshot.description !== pdf.description)
    merged.description = `Screenshots: ${screenshot.description} PDFs: ${pdf.description}`;
  if (!isDeepStrictEqual(screenshot.schema, pdf.schema)) merged.schema = eitherSchema(screenshot, pdf);
  return merged;
}

/** Lists the values of both modes; the default is the same in both. */
function eitherSchema(screenshot: DocumentedParameter, pdf: DocumentedParameter): ValueSchema {
  const { default: value, ...forScreenshot } = screenshot.schema;
  const { default: _, ...forPdf } = pdf.schema;
  return {
    ...(value !== undefined && { default: value }),
    anyOf: [
      { title: "Screenshot", ...forScreenshot },
      { title: "PDF", ...forPdf },
    ],
  };
}
