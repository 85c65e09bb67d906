import {
  checkCapture,
  encodeSpaces,
  fromText,
  PARAMETERS,
  type Mode,
  type PAGE_NAMES,
  type ParameterProblems,
  type ParameterRow,
} from "@snap/protocol";

export type Source = (typeof PAGE_NAMES)[number];

/** The text in the fields. */
export interface Form {
  readonly mode: Mode;
  readonly source: Source;
  /** By parameter name. Includes parameters of the other mode, in case it is selected again. */
  readonly values: Readonly<Record<string, string>>;
}

export const EMPTY_FORM: Form = { mode: "screenshot", source: "url", values: {} };

/** Typed values, in the order of the parameter table. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Returns the rows with a field: all parameters of the mode except `url` and `pdf`. */
export function fieldRows(mode: Mode): readonly ParameterRow[] {
  return Object.values<ParameterRow>(PARAMETERS[mode]).filter(({ name }) => name !== "url" && name !== "pdf");
}

/** Selects a mode, and clears fields with another meaning in it, such as the paper's `width`. */
export function selectMode(form: Form, mode: Mode): Form {
  const rowIn = (one: Mode, name: string): ParameterRow | undefined =>
    Object.values<ParameterRow>(PARAMETERS[one]).find((row) => row.name === name);
  const isKept = ([name]: readonly [string, string]): boolean => {
    const [from, to] = [rowIn(form.mode, name), rowIn(mode, name)];
    return from === undefined || to === undefined || from === to;
  };
  return { ...form, mode, values: Object.fromEntries(Object.entries(form.values).filter(isKept)) };
}

/** Returns the parameters to send, without defaults and without those of the other mode. */
export function toParameters({ mode, source, values }: Form): Parameters {
  const page = values[source] ?? "";
  const fields = fieldRows(mode).flatMap((row): [string, unknown][] => {
    const text = values[row.name] ?? "";
    const value = fromText(row.kind, text);
    return text === "" || value === row.default ? [] : [[row.name, value]];
  });
  return {
    ...(page !== "" && { [source]: source === "url" ? encodeSpaces(page) : page }),
    ...(mode === "pdf" && { pdf: true }),
    ...Object.fromEntries(fields),
  };
}

/** Returns the service's error messages for invalid fields, by name. */
export function findProblems(form: Form): ParameterProblems {
  const parameters = toParameters(form);
  const problems = checkCapture(parameters)?.errors ?? {};
  if (form.source === "url" || parameters[form.source] !== undefined) return problems;
  // the service reports a missing page at `url`
  const { url: _, ...others } = problems;
  return { [form.source]: ["is required"], ...others };
}

/** Counts the rows that have a value to send. */
export function countSent(rows: readonly ParameterRow[], parameters: Parameters): number {
  return rows.filter(({ name }) => parameters[name] !== undefined).length;
}
