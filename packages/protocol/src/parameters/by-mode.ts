import type { Mode, ParameterRow } from "./row.ts";
import { PARAMETER_TABLE } from "./table.ts";
import type { PdfValues, ScreenshotValues } from "./values.ts";

/**
 * Every parameter of each mode by its name, in the order of the table.
 *
 * @example
 * PARAMETERS.pdf.scale.description; // "Scale of the content."
 */
export const PARAMETERS: {
  readonly screenshot: Readonly<Record<keyof ScreenshotValues, ParameterRow>>;
  readonly pdf: Readonly<Record<keyof PdfValues, ParameterRow>>;
} = { screenshot: rowsOf("screenshot"), pdf: rowsOf("pdf") };

/** The mode of parameters whose values may be of any type. */
export function modeOf(values: { readonly pdf?: unknown }): Mode {
  return values.pdf === true ? "pdf" : "screenshot";
}

/** The value that applies if a parameter is not sent; `undefined` if there is none. */
export function effectiveDefault(row: ParameterRow): string | number | boolean | undefined {
  return row.default ?? row.implied;
}

function rowsOf<Name extends string>(mode: Mode): Readonly<Record<Name, ParameterRow>> {
  const rows = PARAMETER_TABLE.filter(({ modes }) => modes.includes(mode));
  return Object.fromEntries(rows.map((row) => [row.name, row])) as Record<Name, ParameterRow>;
}
