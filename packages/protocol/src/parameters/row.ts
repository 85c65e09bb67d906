/** Whether a request renders an image or a PDF. */
export type Mode = "screenshot" | "pdf";

export const SCREENSHOT: readonly Mode[] = ["screenshot"];
export const PDF: readonly Mode[] = ["pdf"];
export const BOTH: readonly Mode[] = ["screenshot", "pdf"];

interface RowBase {
  /** Unique within each mode; a name can have one row for each mode. */
  readonly name: string;
  readonly modes: readonly Mode[];
  /** Names of parameters are in backticks. Limits and defaults are appended. */
  readonly description: string;
  readonly example: string | number | boolean | object;

  /** Whether the value must not be stored in plain text, logged, signed or shown. */
  readonly isSecret?: boolean;
  /**
   * Whether the value only determines where else the rendering is stored. If so, it is not part of the cache key, and
   * cannot be signed.
   */
  readonly isDelivery?: boolean;
  /** Parameters that must be sent all together or not at all, this one included. */
  readonly together?: readonly string[];
  /** Parameters that this one cannot be combined with, and their name in the message. */
  readonly excludes?: readonly { readonly names: readonly string[]; readonly called: string }[];
  /** Like `excludes`, even if the other parameter has its default value. */
  readonly excludesSent?: readonly string[];
  /** Parameters of which at least one must also be sent; a flag must be `true`. */
  readonly requires?: readonly string[];
  /**
   * A choice that this parameter depends on, the values that allow it, and the message for other values. If `unless` is
   * sent, every value allows it.
   */
  readonly needs?: {
    readonly name: string;
    readonly values: readonly string[];
    readonly unless?: string;
    readonly message: string;
  };
}

/**
 * The value if the parameter is not sent. A `default` is filled in by validation. An `implied` value is not: the
 * parameter stays absent, for code that must know whether it was sent.
 */
interface Defaults<Value> {
  readonly default?: Value;
  readonly implied?: Value;
  /** The implied value if another parameter is sent. */
  readonly impliedWith?: { readonly name: string; readonly value: Value };
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
  /** Values that another parameter accepts, and what to send instead. */
  readonly elsewhere?: ReadonlyMap<unknown, string>;
}

interface FlagRow extends RowBase, Defaults<boolean> {
  readonly kind: "flag";
  readonly default: boolean;
}

/** The address of the page; the only required parameter. */
interface UrlRow extends RowBase, Defaults<never> {
  readonly kind: "url";
}

export interface SelectorRow extends RowBase, Defaults<never> {
  readonly kind: "selector";
  readonly maxCharacters: number;
  /** Whether single quotes and backslashes are invalid, as the specification requires for its own selectors. */
  readonly isStrict?: boolean;
}

export interface TextRow extends RowBase, Defaults<string> {
  readonly kind: "text";
  readonly maxCharacters: number;
  /** What the text must be, such as `a language tag like de-CH`. */
  readonly syntax: string;
  /** One word for the text, in the command-line help. */
  readonly placeholder: string;
  /** Returns the canonical text, or `null` if the text is invalid. By default, every text is valid. */
  readonly canonicalize?: (text: string) => string | null;
  /** Valid values; the one closest to an invalid value is suggested. */
  readonly suggestions?: readonly string[];
}

/** A structure: JSON text in a query, a JSON value otherwise. */
export interface JsonRow extends RowBase, Defaults<never> {
  readonly kind: "json";
  /** Maximum length of the canonical JSON text. */
  readonly maxCharacters: number;
  /** What the structure must be, such as `an object of header fields`. */
  readonly syntax: string;
  /** Its type in TypeScript, after validation. */
  readonly valueType: string;
  /** Its JSON schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Returns the canonical structure, or what is wrong with an invalid value, without repeating it. */
  readonly canonicalize: (value: unknown) => object | string;
}

/** The definition of one parameter. */
export type Row = NumberRow | ChoiceRow | FlagRow | UrlRow | SelectorRow | TextRow | JsonRow;
