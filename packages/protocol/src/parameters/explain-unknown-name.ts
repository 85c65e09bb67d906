import { PARAMETERS } from "./by-mode.ts";
import type { Mode } from "./row.ts";
import { suggestion } from "./suggest-name.ts";

const NAMES = Object.keys({ ...PARAMETERS.screenshot, ...PARAMETERS.pdf });

/**
 * Returns why a mode does not accept a name: it belongs to the other mode, or to neither.
 *
 * @example
 * explainUnknownName("full_page", "screenshot"); // "is not a parameter; did you mean fullPage?"
 */
export function explainUnknownName(name: string, mode: Mode): string {
  if (mode === "pdf" && Object.hasOwn(PARAMETERS.screenshot, name))
    return "is for screenshots only; remove it or pdf=true";
  if (mode === "screenshot" && Object.hasOwn(PARAMETERS.pdf, name))
    return "is for PDFs only; add pdf=true or remove it";
  if (name === "answer") return "is only for GET /snap and POST /captures, where it must be file or json";
  return `is not a parameter${suggestion(NAMES, name)}`;
}
