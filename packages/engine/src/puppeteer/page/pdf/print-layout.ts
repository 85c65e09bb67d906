import { paperSizeInches, UNITS_PER_INCH, type PdfParameters } from "@snap/protocol";

/** The paper and its margins, in inches. */
export interface PrintLayout {
  readonly width: number;
  readonly height: number;
  readonly marginTop: number;
  readonly marginRight: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
}

export function printLayoutOf(parameters: PdfParameters): PrintLayout {
  const inches = (length = 0): number => length / UNITS_PER_INCH[parameters.marginUnit];
  return {
    ...paperSizeInches(parameters),
    marginTop: inches(parameters.marginTop),
    marginRight: inches(parameters.marginRight),
    marginBottom: inches(parameters.marginBottom),
    marginLeft: inches(parameters.marginLeft),
  };
}

/** Returns the size of the area within the margins in CSS pixels of the content, rounded down. */
export function printableArea(parameters: PdfParameters): {
  readonly width: number;
  readonly height: number;
} {
  const { width, height, marginTop, marginRight, marginBottom, marginLeft } = printLayoutOf(parameters);
  const pixels = (inches: number): number =>
    Math.max(1, Math.floor((inches * UNITS_PER_INCH.px) / parameters.scale));
  return {
    width: pixels(width - marginLeft - marginRight),
    height: pixels(height - marginTop - marginBottom),
  };
}

/** Converts CSS pixels of the content to inches on paper. */
export function toInches(pixels: number, { scale }: Pick<PdfParameters, "scale">): number {
  return (pixels * scale) / UNITS_PER_INCH.px;
}
