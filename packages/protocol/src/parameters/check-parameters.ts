import { PARAMETERS, modeOf } from "./by-mode.ts";
import { checkField } from "./check-field.ts";
import { checkContent } from "./content.ts";
import { DOCUMENT_ORIGIN } from "../document-upload.ts";
import { explainUnknownName } from "./explain-unknown-name.ts";
import { ProblemList, type ValidationFailure } from "./problem-list.ts";
import type { Row } from "./row.ts";
import { checkRules, checkSent } from "./rules.ts";

/**
 * Checks parameters before they are sent, against the same table as the service. Values are real booleans and numbers;
 * `undefined` means not sent; `pdf: true` selects the mode. Leaves some checks to the service: for example, whether the
 * host is allowed, and whether the operator has set up what the parameters require, such as a store.
 *
 * @returns The error that the service would return (`invalid_url` or `validation_failed`), with the
 * errors of up to 50 parameters in `errors`; `null` for valid parameters.
 * @example
 * checkParameters({ url: "https://example.com", scale: 4 })?.errors;
 * // { scale: ["must be an integer from 1 to 3"] }
 */
export function checkParameters(input: object): ValidationFailure | null {
  const sent = sentValues(input);
  const mode = modeOf(sent);
  const fields: Readonly<Record<string, Row>> = PARAMETERS[mode];
  const problems = new ProblemList();
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = name in sent ? sent[name] : field.default;
    const message = checkField(field, value);
    if (message !== null) problems.add(name, message);
    values[name] = field.kind === "pixels" && typeof value === "number" ? Math.round(value) : value;
  }
  const unknownNames = Object.keys(sent).filter((name) => !Object.hasOwn(fields, name));
  problems.addEach(unknownNames, (name) => explainUnknownName(name, mode));
  const report = (name: string, message: string): void => problems.add(name, message);
  checkRules(mode, values, report);
  checkSent(mode, sent, report);
  return problems.toFailure();
}

/**
 * Checks the parameters of a capture, which can have `html` or `markdown` instead of `url`.
 *
 * @returns The error that the service would return, as from `checkParameters`.
 * @example
 * checkCapture({ html: "<h1>Invoice</h1>", url: "https://example.com" })?.errors;
 * // { url: ["cannot be combined with another page; send exactly one of url, html and markdown"], html: [...] }
 */
export function checkCapture(input: object): ValidationFailure | null {
  const sent = sentValues(input);
  const { html, markdown, ...others } = sent;
  if (html === undefined && markdown === undefined) return checkParameters(sent);
  const problems = new ProblemList();
  checkContent(sent, (name, message) => problems.add(name, message));
  // any valid URL can stand in for the content
  problems.addAll(checkParameters({ ...others, url: DOCUMENT_ORIGIN })?.errors);
  return problems.toFailure();
}

function sentValues(input: object): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = Object.entries(input);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
