import { CAPTURE_LIMITS, type ScreenshotParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { CAPTURE_TOO_LARGE } from "../../ports/renderer.ts";
import { sleep } from "../../timeouts.ts";
import type { Area } from "./measure.ts";
import type { Tab } from "./tab.ts";
import { viewportOf } from "./configure/viewport.ts";

/** How long a capture may take once the document was replaced. */
const REPLACED_MAX_MS = 1_000;

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

/** Repeats `work` if it does not end soon after the document was replaced: Chromium may never complete such a capture. */
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
      .catch(() => {}); // the work has ended
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
    // faster but larger; callers who need small files use WebP or JPEG
    ...(format === "png" ? { optimizeForSpeed: true } : {}),
    ...(quality === undefined ? {} : { quality }),
    ...(capture.area ? { clip: { ...capture.area, scale: 1 }, captureBeyondViewport: true } : {}),
  };
}
