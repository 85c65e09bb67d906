import { pdfParameters, screenshotParameters, type SnapError } from "@snap/engine";
import { Option } from "commander";
import * as z from "zod";

/*
 * One option for each parameter of a rendering, read off the definitions that validate it.
 */

/** Given otherwise: the address is the argument, and nothing is kept without a server. */
const NOT_OPTIONS: ReadonlySet<string> = new Set(["url", "cache", "cacheTtl"]);

interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number | boolean;
}

const inScreenshots = fieldsOf(screenshotParameters);
const inPdfs = fieldsOf(pdfParameters);

/** Names of the parameters that the command offers. */
const names = [...new Set([...Object.keys(inScreenshots), ...Object.keys(inPdfs)])].filter(
  (name) => !NOT_OPTIONS.has(name),
);

/** The options of `snap-server render`, grouped by the mode that accepts them. */
export function renderOptions(): readonly Option[] {
  return names.map((name) => {
    const screenshot = inScreenshots[name];
    const pdf = inPdfs[name];
    const field = screenshot ?? pdf ?? {};
    const option = new Option(flagOf(name, field), asOptions(describe(screenshot, pdf)));
    return option.helpGroup(groupOf(screenshot, pdf));
  });
}

/**
 * The options that were given, as the pairs of a query: what commander parsed has the names of the
 * parameters.
 */
export function toQueryPairs(options: Readonly<Record<string, unknown>>): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = options[name];
    return typeof value === "string" || value === true ? [[name, `${value}`]] : [];
  });
}

/** Every fault of a refused set of parameters, by option, on one line. */
export function describeFaults({ errors = {}, message }: SnapError): string {
  const lines = Object.entries(errors).map(
    ([name, messages]) => `${name === "url" ? "URL" : optionOf(name)} ${messages.map(asOptions).join(", ")}`,
  );
  return lines.length === 0 ? message : lines.join("; ");
}

function fieldsOf(schema: z.ZodType): Readonly<Record<string, Field>> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" });
  return properties as Record<string, Field>;
}

function flagOf(name: string, field: Field): string {
  if (field.type === "boolean") return optionOf(name);
  return `${optionOf(name)} <${field.enum === undefined ? (field.type ?? "text") : "name"}>`;
}

function describe(screenshot: Field | undefined, pdf: Field | undefined): string {
  const texts = [screenshot, pdf].flatMap((field) => (field === undefined ? [] : [describeField(field)]));
  const [first = "", second = first] = texts;
  return first === second || screenshot?.type === "boolean" ? first : `Image: ${first} PDF: ${second}`;
}

/** The meaning, the values that would do, and the default. */
function describeField({ description = "", type, enum: choices, minimum, maximum, ...field }: Field): string {
  if (type === "boolean") return description;
  const values = choices?.join(", ") ?? (minimum === undefined ? null : `${minimum} to ${maximum}`);
  const ending = field.default === undefined ? null : `${field.default} unless given`;
  const facts = [values, ending].filter((fact) => fact !== null);
  return facts.length === 0 ? description : `${description} (${facts.join("; ")})`;
}

function groupOf(screenshot: Field | undefined, pdf: Field | undefined): string {
  if (screenshot !== undefined && pdf !== undefined) return "Images and PDFs:";
  return screenshot === undefined ? "PDFs:" : "Images:";
}

function optionOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
}

/** `format=jpeg`, `fullPage` and whatever stands in backticks, written as one writes it here. */
function asOptions(text: string): string {
  const known = names.join("|");
  const capital = names.filter((name) => /[A-Z]/.test(name)).join("|");
  return text
    .replaceAll(/^`true` renders/g, "Render")
    .replaceAll(/(?<=together with )\w+(?:, \w+)*/g, (list) =>
      list.replaceAll(/\w+/g, (name) => (names.includes(name) ? optionOf(name) : name)),
    )
    .replaceAll(new RegExp(`\`?\\b(${known})=(\\w+)\`?`, "g"), (_, name: string, value: string) =>
      value === "true" ? optionOf(name) : `${optionOf(name)} ${value}`,
    )
    .replaceAll(new RegExp(`\`(${known})\`|\\b(${capital})\\b`, "g"), (_, quoted?: string, plain?: string) =>
      optionOf(quoted ?? plain ?? ""),
    );
}
