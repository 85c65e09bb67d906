import type { Parameters } from "../form.ts";

/** Quotes text for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Writes parameters as a TypeScript object. Parameter names need no quotes. */
export function toTypeScript(parameters: Parameters): string {
  const lines = Object.entries(parameters).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`);
  return `{\n${lines.join("")}}`;
}

/** Writes a JSON value as a Python literal. JSON strings are also Python strings. */
export function toPython(value: unknown, indent = ""): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (value === null) return "None";
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => toPython(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toPython(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

/** Escapes text for a double-quoted HTML attribute. */
export function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
