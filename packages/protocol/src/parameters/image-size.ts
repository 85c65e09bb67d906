import { DEFAULT_VIEWPORT } from "./rows/viewport.ts";
import type { ScreenshotParameters } from "./types.ts";

/** The largest images that Chromium can capture, and that each format can hold. */
export const CAPTURE_LIMITS = {
  devicePixels: 100_000_000,
  /** For an image that is resized or converted: encoding a pixel outside the browser takes up to 25 bytes of memory. */
  processedPixels: 16_777_216,
  sidePixels: { png: Number.POSITIVE_INFINITY, jpeg: 65_535, webp: 16_383, avif: 16_384 },
} as const;

/** The format of a screenshot's file. */
export type FileFormat = keyof typeof CAPTURE_LIMITS.sidePixels;

type Values = Readonly<Record<string, unknown>>;

/** Returns the format of a screenshot's file: `output` or, without it, `format`. */
export function fileFormatOf({
  output,
  format,
}: Pick<ScreenshotParameters, "output" | "format">): FileFormat {
  return output ?? format;
}

/** Returns the parameters that need image processing: the file is made from a PNG capture. */
export function processingIn(values: Values): readonly string[] {
  return ["output", "resizeWidth", "resizeHeight"].filter((name) => values[name] !== undefined);
}

/** Returns the maximum number of pixels in a screenshot's file. */
export function pixelLimitOf(parameters: Values): number {
  return processingIn(parameters).length > 0 ? CAPTURE_LIMITS.processedPixels : CAPTURE_LIMITS.devicePixels;
}

/** Reports an image that is too large to capture or encode, if the parameters alone show that. */
export function checkCaptureSize(values: Values, report: (name: string, message: string) => void): void {
  checkCanvasSize(values, report);
  if (values["selector"] !== undefined) return;
  const isClipped = values["clipWidth"] !== undefined && values["clipHeight"] !== undefined;
  const [widthName, heightName] = isClipped ? ["clipWidth", "clipHeight"] : ["width", "height"];
  const width = values[widthName] ?? DEFAULT_VIEWPORT.width;
  const height = values[heightName] ?? DEFAULT_VIEWPORT.height;
  const { scale, output, format } = values;
  if (typeof width !== "number" || typeof height !== "number" || typeof scale !== "number") return;
  const isResized = values["resizeWidth"] !== undefined || values["resizeHeight"] !== undefined;
  // a resized image is captured as a PNG, and may be small
  const [name, value] = isResized
    ? ["format", "png"]
    : output === "avif"
      ? ["output", output]
      : ["format", format];
  const sideLimit = isFileFormat(value) ? CAPTURE_LIMITS.sidePixels[value] : Infinity;
  for (const [sideName, side] of [
    [widthName, width],
    [heightName, height],
  ] as const) {
    if (side * scale > sideLimit)
      report(sideName, `times scale must be at most ${sideLimit} pixels for ${name}=${String(value)}`);
  }
  const pixelLimit = isResized ? CAPTURE_LIMITS.devicePixels : pixelLimitOf(values);
  if (width * height * scale * scale > pixelLimit)
    report(
      scale > 1 ? "scale" : widthName,
      `produces an image of more than ${pixelLimit} pixels; use a smaller size or scale`,
    );
}

/** Reports an image that `resizeFit=contain` would pad to more pixels than can be encoded. */
function checkCanvasSize(
  { resizeFit, resizeWidth, resizeHeight }: Values,
  report: (name: string, message: string) => void,
): void {
  if (resizeFit !== "contain" || typeof resizeWidth !== "number" || typeof resizeHeight !== "number") return;
  if (resizeWidth * resizeHeight > CAPTURE_LIMITS.processedPixels)
    report("resizeWidth", `produces an image of more than ${CAPTURE_LIMITS.processedPixels} pixels`);
}

function isFileFormat(value: unknown): value is FileFormat {
  return typeof value === "string" && Object.hasOwn(CAPTURE_LIMITS.sidePixels, value);
}
