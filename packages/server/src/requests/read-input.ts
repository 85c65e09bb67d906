import { rejectProblems } from "@snap/engine/internals";
import { ProblemList, suggestion } from "@snap/protocol";
import * as z from "zod";
import { invalidBody } from "./request-body.ts";

/** A schema of parameters by name, for a query or a JSON body. */
export type FieldsSchema = z.ZodObject;

/**
 * Reads a query. Converts text to a number or a boolean where the schema has one.
 *
 * @param schema A strict object, whose fields are strings, numbers and booleans.
 * @throws SnapError `validation_failed` that names every invalid parameter.
 */
export function readQuery<Schema extends FieldsSchema>(schema: Schema, text: string): z.output<Schema> {
  const parameters = new URLSearchParams(text);
  const problems = new ProblemList();
  const values = new Map<string, unknown>();
  for (const [name, value] of parameters) {
    if (values.has(name)) problems.add(name, "must be sent only once");
    values.set(name, fromText(Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined, value));
  }
  return validate(schema, Object.fromEntries(values), problems);
}

/**
 * Checks a JSON body; an absent one is an empty object.
 *
 * @throws SnapError `validation_failed` that names every invalid parameter.
 */
export function checkBody<Schema extends FieldsSchema>(schema: Schema, body: unknown = {}): z.output<Schema> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidBody("must be a JSON object");
  return validate(schema, body, new ProblemList());
}

/**
 * Rejects the query of a request whose parameters belong in its JSON body.
 *
 * @throws SnapError `validation_failed` that names every parameter.
 */
export function requireNoQuery(text: string): void {
  const problems = new ProblemList();
  const names = new Set(new URLSearchParams(text).keys());
  problems.addEach([...names], () => "must be sent in the JSON body, not in the query");
  rejectProblems(problems, "validation_failed");
}

function validate<Schema extends FieldsSchema>(
  schema: Schema,
  values: object,
  problems: ProblemList,
): z.output<Schema> {
  const { data, error } = schema.safeParse(values);
  for (const issue of error?.issues ?? [])
    addIssue(problems, issue, { names: Object.keys(schema.shape), values });
  rejectProblems(problems, "validation_failed");
  return data as z.output<Schema>;
}

function addIssue(
  problems: ProblemList,
  issue: z.core.$ZodIssue,
  { names, values }: { readonly names: readonly string[]; readonly values: object },
): void {
  if (issue.code === "unrecognized_keys")
    problems.addEach(issue.keys, (key) => `is not a parameter${suggestion(names, key)}`);
  else {
    const name = String(issue.path[0]);
    problems.add(name, Object.hasOwn(values, name) ? issue.message : "is required");
  }
}

const NUMBER = /^-?\d{1,15}$/;
const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Text that is not of the schema's type is returned unchanged, so the schema rejects it. */
function fromText(schema: z.core.$ZodType | undefined, text: string): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return fromText(schema.unwrap(), text);
  if (schema instanceof z.ZodNumber && NUMBER.test(text)) return Number(text);
  if (schema instanceof z.ZodBoolean) return BOOLEANS.get(text) ?? text;
  return text;
}
