import { LIMITS } from "../limits.ts";
import { IMAGE_FORMATS, LENGTH_UNITS, PAPER_FORMATS, WAIT_EVENTS } from "./choices.ts";

/*
 * The parameter table (interface.md, GET /snap): what each mode accepts, as data. Whoever validates
 * reads it from here: the engine's schemas, and the client before it sends.
 */

export type Mode = "screenshot" | "pdf";

/** A number from `min` to `max`, both included; a fraction of `pixels` is rounded. */
interface NumberField<Kind extends "integer" | "decimal" | "pixels"> {
  readonly kind: Kind;
  readonly min: number;
  readonly max: number;
  readonly unit?: "ms" | "s" | "px" | "marginUnit";
  readonly default?: number;
  readonly implied?: number;
}

interface ChoiceField {
  readonly kind: "choice";
  readonly values: readonly [string, ...string[]];
  readonly default?: string;
  readonly implied?: string;
}

interface FlagField {
  readonly kind: "flag";
  readonly default: boolean;
}

/** The flag that tells the modes apart: one value in each. */
interface ModeField {
  readonly kind: "mode";
  readonly value: boolean;
  readonly default?: boolean;
}

/** A text without a default; an address is required. */
interface TextField<Kind extends "url" | "selector"> {
  readonly kind: Kind;
  readonly default?: never;
}

/**
 * One parameter in one mode. Where it isn't sent, it gets its `default`; without one it stays absent, and what is
 * `implied` holds: rules can then tell whether it was sent.
 */
export type ParameterField =
  | NumberField<"integer">
  | NumberField<"decimal">
  | NumberField<"pixels">
  | ChoiceField
  | FlagField
  | ModeField
  | TextField<"url">
  | TextField<"selector">;

const IN_BOTH_MODES = {
  url: { kind: "url" },
  cache: { kind: "flag", default: true },
  cacheTtl: {
    kind: "integer",
    min: LIMITS.cacheTtlMinSeconds,
    max: LIMITS.cacheTtlMaxSeconds,
    unit: "s",
    implied: LIMITS.cacheTtlDefaultSeconds,
  },
} as const satisfies Record<string, ParameterField>;

const CLIP_EDGE = { kind: "integer", min: 0, max: 10_000, unit: "px" } as const;
const CLIP_SIDE = { kind: "integer", min: 1, max: 10_000, unit: "px" } as const;
const VIEWPORT_SIDE = { kind: "pixels", min: 1, max: 10_000, unit: "px" } as const;
const PAPER_SIDE = { kind: "decimal", min: 1, max: 10_000, unit: "marginUnit" } as const;
const MARGIN = { kind: "decimal", min: 0, max: 1000, unit: "marginUnit" } as const;

/**
 * Every parameter of each mode by its name. Faults are named in this order.
 *
 * @example
 * PARAMETERS.pdf.scale; // { kind: "decimal", min: 0.1, max: 2, default: 1 }
 */
export const PARAMETERS = {
  screenshot: {
    ...IN_BOTH_MODES,
    pdf: { kind: "mode", value: false, default: false },
    fullPage: { kind: "flag", default: false },
    format: { kind: "choice", values: IMAGE_FORMATS, default: "png" },
    quality: { kind: "integer", min: 1, max: 100 },
    width: VIEWPORT_SIDE,
    height: VIEWPORT_SIDE,
    scale: { kind: "integer", min: 1, max: 3, default: 1 },
    delay: { kind: "integer", min: 0, max: 10_000, unit: "ms" },
    selector: { kind: "selector" },
    clipX: CLIP_EDGE,
    clipY: CLIP_EDGE,
    clipWidth: CLIP_SIDE,
    clipHeight: CLIP_SIDE,
    omitBackground: { kind: "flag", default: false },
    waitForSelector: { kind: "selector" },
    waitUntil: { kind: "choice", values: WAIT_EVENTS, implied: "networkidle2" },
  },
  pdf: {
    ...IN_BOTH_MODES,
    pdf: { kind: "mode", value: true },
    landscape: { kind: "flag", default: false },
    paperFormat: { kind: "choice", values: PAPER_FORMATS, default: "a4" },
    width: PAPER_SIDE,
    height: PAPER_SIDE,
    marginTop: MARGIN,
    marginRight: MARGIN,
    marginBottom: MARGIN,
    marginLeft: MARGIN,
    marginUnit: { kind: "choice", values: LENGTH_UNITS, default: "mm" },
    scale: { kind: "decimal", min: 0.1, max: 2, default: 1 },
  },
} as const satisfies Record<Mode, Record<string, ParameterField>>;

/** The mode of parameters whose values may be of any type (interface.md, `pdf`). */
export function modeOf(values: { readonly pdf?: unknown }): Mode {
  return values.pdf === true ? "pdf" : "screenshot";
}
