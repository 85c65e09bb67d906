import type { ScreenshotValues } from "@snap/protocol";
import type { Handler } from "./site.ts";

/** Parameters of a picture, without `url`. */
export type PictureParameters = Omit<ScreenshotValues, "url" | "pdf">;

/** The expected content of a picture. Colors are `#rrggbb`, and positions are in device pixels. */
export interface Expectation {
  /** Width and height; by default, those of the viewport. */
  readonly size: readonly [width: number, height: number];
  readonly colors: readonly (readonly [x: number, y: number, color: string])[];
  /** Colors that no pixel has. */
  readonly absent: readonly string[];
  /** All notes, in any order. */
  readonly notes: readonly string[];
}

export type Side = "before" | "after";

export interface Picture {
  readonly parameters: PictureParameters;
  readonly expected: Expectation;
}

/** Combines a picture's parameters with what the parts expect. The last `size` wins. */
export function picture(parameters: PictureParameters, ...parts: readonly Partial<Expectation>[]): Picture {
  const { width = COMMON.width, height = COMMON.height } = parameters;
  const expected = {
    size: parts.findLast(({ size }) => size)?.size ?? ([width, height] as const),
    colors: parts.flatMap(({ colors = [] }) => colors),
    absent: parts.flatMap(({ absent = [] }) => absent),
    notes: parts.flatMap(({ notes = [] }) => notes),
  };
  return { parameters, expected };
}

export const at = (x: number, y: number, color: string): Partial<Expectation> => ({
  colors: [[x, y, color]],
});
export const without = (...absent: string[]): Partial<Expectation> => ({ absent });
export const withNotes = (...notes: string[]): Partial<Expectation> => ({ notes });
export const withSize = (width: number, height: number): Partial<Expectation> => ({ size: [width, height] });

/** A page, and its picture before and after some parameters are added. */
export interface Entry {
  /** Path of the page, and the name of its pictures. */
  readonly name: string;
  readonly title: string;
  /** What the page does, in one or two sentences of Markdown. */
  readonly about: string;
  readonly page: string | Handler;
  readonly before: Picture;
  readonly after: Picture;
  /** Limit for the median time of the renders of `after` on an idle machine; 3,000 by default. */
  readonly maxMs?: number;
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Parameters of each picture, unless an entry sends other values or a device. */
export const COMMON = { width: 400, height: 300, waitUntil: "load" } as const;

/** The parameters of a picture, including `COMMON`. */
export function completeParameters({ parameters }: Picture): PictureParameters {
  if (parameters.device === undefined) return { ...COMMON, ...parameters };
  return { waitUntil: COMMON.waitUntil, ...parameters };
}

export function maxMsOf({ maxMs = 3000 }: Entry): number {
  return maxMs;
}

/** The names of the parameters that `after` adds to `before`, or sends with other values. */
export function changedParameters({ before, after }: Entry): string[] {
  const from = new Map<string, unknown>(Object.entries(before.parameters));
  return Object.entries(after.parameters)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(from.get(name)))
    .map(([name]) => name);
}
