import {
  CAPTURE_LIMITS,
  fileFormatOf,
  pixelLimitOf,
  processingIn,
  type FileFormat,
  type ScreenshotParameters,
  type SnapParameters,
} from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { resizedSize, type ImageSize } from "../../images/resized-size.ts";
import { CAPTURE_TOO_LARGE } from "../../ports/renderer.ts";
import { sleep } from "../../timeouts.ts";
import type { Area } from "./measure.ts";
import type { Tab } from "./tab.ts";
import { viewportOf, type Viewport } from "./configure/viewport.ts";

const REDUCE = "Send a smaller scale, fullPageMaxHeight or resizeWidth, or capture a part.";
/** Resizing does not help: the screenshot is captured first. */
const REDUCE_CAPTURE = "Send a smaller scale or fullPageMaxHeight, or capture a part.";

/** How long a capture may take after the document is replaced. */
const REPLACED_MAX_MS = 1_000;

/** Returns the format to capture in: a lossless one if the image is converted afterwards. */
export function captureFormatOf(parameters: ScreenshotParameters): ScreenshotParameters["format"] {
  return processingIn(parameters).length > 0 ? "png" : parameters.format;
}

/**
 * Rejects screenshots that are too large for the file's format, for processing, or for Chromium,
 * which would fail or return 0 bytes.
 *
 * @throws SnapError `render_failed` if the screenshot would be too large.
 */
export function requireCapturableSize(area: Area | null, parameters: ScreenshotParameters): void {
  const size = sizeOf({ area, viewport: viewportOf(parameters) });
  requireSize(size, { format: captureFormatOf(parameters), maxPixels: CAPTURE_LIMITS.devicePixels });
  requireSize(resizedSize(size, parameters), {
    format: fileFormatOf(parameters),
    maxPixels: pixelLimitOf(parameters),
  });
}

function requireSize(
  { widthPixels, heightPixels }: ImageSize,
  { format, maxPixels }: { readonly format: FileFormat; readonly maxPixels: number },
): void {
  const size = `The screenshot would be ${widthPixels} x ${heightPixels} pixels`;
  const sideLimit = CAPTURE_LIMITS.sidePixels[format];
  if (Math.max(widthPixels, heightPixels) > sideLimit) {
    throw tooLarge(`${size}; the limit for ${format} is ${sideLimit} per side. ${REDUCE}`);
  }
  if (widthPixels * heightPixels > maxPixels) {
    if (maxPixels === CAPTURE_LIMITS.devicePixels)
      throw tooLarge(`${size}; the limit is ${maxPixels} in total. ${REDUCE_CAPTURE}`);
    throw tooLarge(`${size}; the limit for a resized or converted image is ${maxPixels} in total. ${REDUCE}`);
  }
}

/** Returns the size of a screenshot in device pixels. */
function sizeOf({ area, viewport }: Pick<ScreenshotSpec, "area" | "viewport">): ImageSize {
  const { width, height } = area ?? viewport;
  const { deviceScaleFactor: scale } = viewport;
  return { widthPixels: Math.ceil(width * scale), heightPixels: Math.ceil(height * scale) };
}

/** Returns the height of the largest screenshot that can be captured, in CSS pixels. */
export function capturableHeight(parameters: SnapParameters): number {
  if (parameters.pdf) return Infinity;
  const { width, deviceScaleFactor } = viewportOf(parameters);
  const isResized = parameters.resizeWidth !== undefined || parameters.resizeHeight !== undefined;
  const format = isResized ? "png" : fileFormatOf(parameters);
  const maxPixels = isResized ? CAPTURE_LIMITS.devicePixels : pixelLimitOf(parameters);
  return Math.min(
    CAPTURE_LIMITS.sidePixels[format] / deviceScaleFactor,
    maxPixels / (width * deviceScaleFactor ** 2),
  );
}

function tooLarge(message: string): SnapError {
  return new SnapError("render_failed", message, { notes: [CAPTURE_TOO_LARGE] });
}

/**
 * Captures the area, or the viewport if `area` is null.
 *
 * @throws SnapError `render_failed` if the file is larger than `maxBytes`, or empty.
 */
export async function captureScreenshot(
  tab: Tab,
  capture: ScreenshotSpec,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { widthPixels, heightPixels } = sizeOf(capture);
  const pixels = widthPixels * heightPixels;
  const request = { params: captureRequest(capture), maxBytes: capture.maxBytes, pixels };
  const bytes = await retryIfReplaced(
    tab,
    (stepSignal) => tab.channel.captureScreenshot(request, stepSignal),
    signal,
  );
  if (bytes.length === 0) throw new SnapError("render_failed", "The browser returned an empty screenshot.");
  return bytes;
}

/**
 * Repeats `work` if it does not finish soon after the document is replaced, because Chromium may never complete such a
 * capture.
 */
async function retryIfReplaced<T>(
  { progress }: Tab,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    const { documentId } = progress;
    const controller = new AbortController();
    const stepSignal = AbortSignal.any([signal, controller.signal]);
    const isReplaced = (): boolean => progress.documentId !== documentId;
    progress
      .waitUntil(stepSignal, isReplaced)
      .then(() => sleep(stepSignal, REPLACED_MAX_MS))
      .then(() => controller.abort())
      .catch(() => {}); // the work has finished
    try {
      return await work(stepSignal);
    } catch (error) {
      if (signal.aborted || !controller.signal.aborted) throw error;
    } finally {
      controller.abort();
    }
  }
}

interface ScreenshotSpec {
  /** `null` is the viewport. */
  readonly area: Area | null;
  readonly viewport: Viewport;
  readonly format: ScreenshotParameters["format"];
  readonly quality?: number | undefined;
  readonly maxBytes: number;
}

function captureRequest({ area, format, quality }: ScreenshotSpec): Protocol.Page.CaptureScreenshotRequest {
  return {
    format,
    // faster, but larger files; callers who need small ones use WebP or JPEG
    ...(format === "png" ? { optimizeForSpeed: true } : {}),
    ...(quality === undefined || format === "png" ? {} : { quality }),
    ...(area ? { clip: { ...area, scale: 1 }, captureBeyondViewport: true } : {}),
  };
}
