import type { Mode, Row } from "./row.ts";
import { PARAMETER_TABLE, type ParameterRow } from "./table.ts";
import type { PdfValues, ScreenshotValues } from "./values.ts";

/**
 * The parameters of each mode by name, in the order of the table.
 *
 * @example
 * PARAMETERS.pdf.scale.description; // "Scale of the content."
 */
export const PARAMETERS: {
  readonly screenshot: Readonly<Record<keyof ScreenshotValues, ParameterRow>>;
  readonly pdf: Readonly<Record<keyof PdfValues, ParameterRow>>;
} = { screenshot: rowsOf("screenshot"), pdf: rowsOf("pdf") };

/** Returns the mode of untyped parameters. */
export function modeOf(values: { readonly pdf?: unknown }): Mode {
  return values.pdf === true ? "pdf" : "screenshot";
}

/**
 * Returns the value that applies if a parameter is not sent; `undefined` if there is none.
 *
 * @param sent - The request's other parameters, on which it may depend.
 */
export function effectiveDefault(
  { default: always, implied, impliedWith }: Row,
  sent: Readonly<Record<string, unknown>> = {},
): string | number | boolean | undefined {
  const dependent = impliedWith && sent[impliedWith.name] !== undefined ? impliedWith.value : undefined;
  return always ?? implied ?? dependent;
}

/** Returns whether a request sends the value that would apply without it. */
export function sendsDefault(sent: Readonly<Record<string, unknown>>, name: string): boolean {
  const rows: Readonly<Record<string, Row | undefined>> = PARAMETERS[modeOf(sent)];
  const row = rows[name];
  return row !== undefined && sent[name] === effectiveDefault(row, sent);
}

function rowsOf<Name extends string>(mode: Mode): Readonly<Record<Name, ParameterRow>> {
  const rows = PARAMETER_TABLE.filter(({ modes }) => modes.includes(mode));
  return Object.fromEntries(rows.map((row) => [row.name, row])) as Record<Name, ParameterRow>;
}
