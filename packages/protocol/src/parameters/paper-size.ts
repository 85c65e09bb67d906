import type { LengthUnit, PaperFormat } from "./types.ts";

/** Units per inch; a pixel is a CSS pixel, 1/96 in. */
export const UNITS_PER_INCH = { mm: 25.4, cm: 2.54, in: 1, px: 96 } as const satisfies Record<
  LengthUnit,
  number
>;

/** Width and height in inches: US sizes (ASME Y14.1, and legal) and ISO 216 sizes. All but ledger are in portrait. */
export const PAPER_INCHES = {
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
  a0: [841 / 25.4, 1189 / 25.4],
  a1: [594 / 25.4, 841 / 25.4],
  a2: [420 / 25.4, 594 / 25.4],
  a3: [297 / 25.4, 420 / 25.4],
  a4: [210 / 25.4, 297 / 25.4],
  a5: [148 / 25.4, 210 / 25.4],
  a6: [105 / 25.4, 148 / 25.4],
} as const satisfies Record<PaperFormat, readonly [number, number]>;

export interface PaperRequest {
  readonly paperFormat: PaperFormat;
  readonly marginUnit: LengthUnit;
  readonly landscape: boolean;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/**
 * Returns the paper size in inches. A custom size overrides the format; landscape swaps width and height.
 *
 * @example
 * paperSizeInches({ paperFormat: "letter", marginUnit: "mm", landscape: true }); // { width: 11, height: 8.5 }
 */
export function paperSizeInches(request: PaperRequest): { readonly width: number; readonly height: number } {
  const { paperFormat, marginUnit, landscape } = request;
  const unitsPerInch = UNITS_PER_INCH[marginUnit];
  const [width, height] =
    request.width === undefined || request.height === undefined
      ? PAPER_INCHES[paperFormat]
      : [request.width / unitsPerInch, request.height / unitsPerInch];
  return landscape ? { width: height, height: width } : { width, height };
}

/** Returns whether untyped values describe a paper size. */
export function isPaperRequest(
  values: Readonly<Record<string, unknown>>,
): values is PaperRequest & typeof values {
  const { paperFormat, marginUnit, landscape, width, height } = values;
  return (
    typeof paperFormat === "string" &&
    Object.hasOwn(PAPER_INCHES, paperFormat) &&
    typeof marginUnit === "string" &&
    Object.hasOwn(UNITS_PER_INCH, marginUnit) &&
    typeof landscape === "boolean" &&
    [width, height].every((side) => side === undefined || typeof side === "number")
  );
}
