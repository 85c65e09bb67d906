/** What a request renders: an image, or a PDF. */
export type Mode = "screenshot" | "pdf";

/** The sections of the reference, of the command line's help and of forms, in order. */
export const PARAMETER_GROUPS = ["Page", "Viewport", "Region", "Image", "Wait", "Paper", "Cache"] as const;
export type ParameterGroup = (typeof PARAMETER_GROUPS)[number];

interface RowBase {
  /** Unique within each mode; a name may have one row for each mode. */
  readonly name: string;
  readonly modes: readonly Mode[];
  readonly group: ParameterGroup;
  /** One or two sentences; names of parameters and values in backticks. Limits and defaults are added to it. */
  readonly description: string;
  readonly example: string | number | boolean;

  /** Parameters that must be sent all together or not at all, this one included. */
  readonly together?: readonly string[];
  /** Parameters that this one cannot be combined with, and their name in the message. */
  readonly excludes?: readonly { readonly names: readonly string[]; readonly called: string }[];
  /** A choice that this parameter depends on, the values that allow it, and the message for other values. */
  readonly needs?: { readonly name: string; readonly values: readonly string[]; readonly message: string };
}

/**
 * The value if the parameter is not sent. A `default` is filled in by validation. An `implied` value is not: the
 * parameter stays absent, for code that must know whether it was sent.
 */
interface Defaults<Value> {
  readonly default?: Value;
  readonly implied?: Value;
}

/** A number from `min` to `max`, both inclusive. Fractions are invalid for an `integer` and rounded for `pixels`. */
interface NumberRow extends RowBase, Defaults<number> {
  readonly kind: "integer" | "decimal" | "pixels";
  readonly min: number;
  readonly max: number;
}

interface ChoiceRow extends RowBase, Defaults<string> {
  readonly kind: "choice";
  readonly values: readonly [string, ...string[]];
}

interface FlagRow extends RowBase, Defaults<boolean> {
  readonly kind: "flag";
  readonly default: boolean;
}

/** The address of the page; the only required parameter. */
interface UrlRow extends RowBase, Defaults<never> {
  readonly kind: "url";
}

interface SelectorRow extends RowBase, Defaults<never> {
  readonly kind: "selector";
}

/** The definition of one parameter. */
export type ParameterRow = NumberRow | ChoiceRow | FlagRow | UrlRow | SelectorRow;
