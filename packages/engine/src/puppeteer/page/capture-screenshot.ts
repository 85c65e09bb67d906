import { CAPTURE_LIMITS, type ScreenshotParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { CAPTURE_TOO_LARGE } from "../../ports/renderer.ts";
import type { Area } from "./measure.ts";
import type { Tab } from "./tab.ts";
import { viewportOf } from "./configure/viewport.ts";

/**
 * Chromium fails on larger screenshots, or succeeds with 0 bytes.
 *
 * @throws SnapError `render_failed` if the screenshot would be too large.
 */
export function requireCapturableSize(area: Area | null, parameters: ScreenshotParameters): void {
  const { format } = parameters;
  const { widthPixels, heightPixels } = sizeOf({ area, parameters });
  const size = `The screenshot would be ${widthPixels} x ${heightPixels} pixels`;
  const { devicePixels, sidePixels } = CAPTURE_LIMITS;
  if (Math.max(widthPixels, heightPixels) > sidePixels[format]) {
    throw tooLarge(`${size}; the limit for ${format} is ${sidePixels[format]} per side.`);
  }
  if (widthPixels * heightPixels > devicePixels) {
    throw tooLarge(`${size}; the limit is ${devicePixels} in total.`);
  }
}

/** Returns the size of a screenshot in device pixels. */
function sizeOf({ area, parameters }: Capture): {
  readonly widthPixels: number;
  readonly heightPixels: number;
} {
  const viewport = viewportOf(parameters);
  const { width, height } = area ?? viewport;
  const { deviceScaleFactor: scale } = viewport;
  return { widthPixels: Math.ceil(width * scale), heightPixels: Math.ceil(height * scale) };
}

function tooLarge(message: string): SnapError {
  return new SnapError("render_failed", message, { notes: [CAPTURE_TOO_LARGE] });
}

/**
 * Captures the area, or the viewport if `area` is null.
 *
 * @throws SnapError `render_failed` if the file is larger than `maxBytes`.
 */
export async function captureScreenshot(
  { channel }: Tab,
  { maxBytes, ...capture }: Capture & { maxBytes: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { widthPixels, heightPixels } = sizeOf(capture);
  const pixels = widthPixels * heightPixels;
  const bytes = await channel.captureScreenshot(
    { params: captureRequest(capture), maxBytes, pixels },
    signal,
  );
  if (bytes.length === 0) throw new SnapError("render_failed", "The browser returned an empty screenshot.");
  return bytes;
}

interface Capture {
  readonly area: Area | null;
  readonly parameters: ScreenshotParameters;
}

function captureRequest(capture: Capture): Protocol.Page.CaptureScreenshotRequest {
  const { format, quality } = capture.parameters;
  return {
    format,
    // faster but larger; callers who need small files use WebP or JPEG
    ...(format === "png" ? { optimizeForSpeed: true } : {}),
    ...(quality === undefined ? {} : { quality }),
    ...(capture.area ? { clip: { ...capture.area, scale: 1 }, captureBeyondViewport: true } : {}),
  };
}
