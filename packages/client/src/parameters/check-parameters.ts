import { checkRules, explainUnknownName, FaultList, modeOf, PARAMETERS } from "@snap/protocol";
import type { ParameterRow, ValidationFailure } from "@snap/protocol";
import { checkField } from "./check-field.ts";

/**
 * Checks parameters before they are sent, by the same table as the service. Values are real booleans and numbers;
 * `undefined` means not sent; `pdf: true` selects the mode. Only the service checks whether the host may be rendered
 * and whether its name is valid punycode.
 *
 * @returns The error that the service would return (`invalid_url` or `validation_failed`), with every error in
 * `errors`; `null` for valid parameters.
 * @example
 * checkParameters({ url: "https://example.com", scale: 4 })?.errors;
 * // { scale: ["must be an integer from 1 to 3"] }
 */
export function checkParameters(input: object): ValidationFailure | null {
  const sent = sentValues(input);
  const mode = modeOf(sent);
  const fields: Readonly<Record<string, ParameterRow>> = PARAMETERS[mode];
  const faults = new FaultList();
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = name in sent ? sent[name] : field.default;
    const message = checkField(field, value);
    if (message !== null) faults.add(name, message);
    values[name] = field.kind === "pixels" && typeof value === "number" ? Math.round(value) : value;
  }
  const unknownNames = Object.keys(sent).filter((name) => !Object.hasOwn(fields, name));
  faults.addEach(unknownNames, (name) => explainUnknownName(name, mode));
  checkRules(mode, values, (name, message) => faults.add(name, message));
  return faults.toFailure();
}

function sentValues(input: object): Readonly<Record<string, unknown>> {
  const entries: [string, unknown][] = Object.entries(input);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
