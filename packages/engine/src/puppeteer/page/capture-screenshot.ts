import { CAPTURE_LIMITS, type ScreenshotParameters, type SnapParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { CAPTURE_TOO_LARGE } from "../../ports/renderer.ts";
import { sleep } from "../../timeouts.ts";
import type { Area } from "./measure.ts";
import type { Tab } from "./tab.ts";
import { viewportOf } from "./configure/viewport.ts";

const REDUCE = "Send a smaller scale or fullPageMaxHeight, or capture a part.";

/** How long a capture may take after the document is replaced. */
const REPLACED_MAX_MS = 1_000;

/**
 * Rejects screenshots that are too large for Chromium, which would fail or return 0 bytes.
 *
 * @throws SnapError `render_failed` if the screenshot would be too large.
 */
export function requireCapturableSize(area: Area | null, parameters: ScreenshotParameters): void {
  const { format } = parameters;
  const { widthPixels, heightPixels } = sizeOf({ area, parameters });
  const size = `The screenshot would be ${widthPixels} x ${heightPixels} pixels`;
  const { devicePixels, sidePixels } = CAPTURE_LIMITS;
  if (Math.max(widthPixels, heightPixels) > sidePixels[format]) {
    throw tooLarge(`${size}; the limit for ${format} is ${sidePixels[format]} per side. ${REDUCE}`);
  }
  if (widthPixels * heightPixels > devicePixels) {
    throw tooLarge(`${size}; the limit is ${devicePixels} in total. ${REDUCE}`);
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

/** Returns the height of the largest screenshot that can be captured, in CSS pixels. */
export function capturableHeight(parameters: SnapParameters): number {
  if (parameters.pdf) return Infinity;
  const { width, deviceScaleFactor } = viewportOf(parameters);
  const { devicePixels, sidePixels } = CAPTURE_LIMITS;
  return Math.min(
    sidePixels[parameters.format] / deviceScaleFactor,
    devicePixels / (width * deviceScaleFactor ** 2),
  );
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
  tab: Tab,
  { maxBytes, ...capture }: Capture & { maxBytes: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { widthPixels, heightPixels } = sizeOf(capture);
  const pixels = widthPixels * heightPixels;
  const request = { params: captureRequest(capture), maxBytes, pixels };
  const bytes = await retryIfReplaced(
    tab,
    (limited) => tab.channel.captureScreenshot(request, limited),
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
    const abandoned = new AbortController();
    const limited = AbortSignal.any([signal, abandoned.signal]);
    const isReplaced = (): boolean => progress.documentId !== documentId;
    progress
      .waitUntil(limited, isReplaced)
      .then(() => sleep(limited, REPLACED_MAX_MS))
      .then(() => abandoned.abort())
      .catch(() => {}); // the work has finished
    try {
      return await work(limited);
    } catch (error) {
      if (signal.aborted || !abandoned.signal.aborted) throw error;
    } finally {
      abandoned.abort();
    }
  }
}

interface Capture {
  readonly area: Area | null;
  readonly parameters: ScreenshotParameters;
}

function captureRequest(capture: Capture): Protocol.Page.CaptureScreenshotRequest {
  const { format, quality } = capture.parameters;
  return {
    format,
    // faster, but larger files; callers who need small ones use WebP or JPEG
    ...(format === "png" ? { optimizeForSpeed: true } : {}),
    ...(quality === undefined ? {} : { quality }),
    ...(capture.area ? { clip: { ...capture.area, scale: 1 }, captureBeyondViewport: true } : {}),
  };
}
