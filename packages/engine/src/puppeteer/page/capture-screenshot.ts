import { CAPTURE_LIMITS, type ScreenshotParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { abortable } from "../../timeouts.ts";
import type { Area } from "./measure.ts";
import type { Tab } from "./tab.ts";
import { viewportOf } from "./viewport.ts";

/**
 * Chromium fails on larger screenshots, or succeeds with 0 bytes.
 *
 * @throws SnapError `render_failed` if the screenshot would be too large.
 */
export function requireCapturableSize(area: Area | null, parameters: ScreenshotParameters): void {
  const { format, scale } = parameters;
  const { width, height } = area ?? viewportOf(parameters);
  const [widthPixels, heightPixels] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const size = `The screenshot would be ${widthPixels} x ${heightPixels} pixels`;
  const { devicePixels, sidePixels } = CAPTURE_LIMITS;
  if (Math.max(widthPixels, heightPixels) > sidePixels[format]) {
    throw new SnapError(
      "render_failed",
      `${size}; the limit for ${format} is ${sidePixels[format]} per side.`,
    );
  }
  if (widthPixels * heightPixels > devicePixels) {
    throw new SnapError("render_failed", `${size}; the limit is ${devicePixels} in total.`);
  }
}

/** Captures the area, or the viewport if `area` is null. */
export async function captureScreenshot(
  { session }: Tab,
  capture: { area: Area | null; parameters: ScreenshotParameters },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { data } = await abortable(signal, session.send("Page.captureScreenshot", captureRequest(capture)));
  const bytes = Buffer.from(data, "base64");
  if (bytes.length === 0) throw new SnapError("render_failed", "The browser returned an empty screenshot.");
  return bytes;
}

function captureRequest(capture: {
  area: Area | null;
  parameters: ScreenshotParameters;
}): Protocol.Page.CaptureScreenshotRequest {
  const { format, quality } = capture.parameters;
  return {
    format,
    // faster but larger; callers who need small files use WebP or JPEG
    ...(format === "png" ? { optimizeForSpeed: true } : {}),
    ...(quality === undefined ? {} : { quality }),
    ...(capture.area ? { clip: { ...capture.area, scale: 1 }, captureBeyondViewport: true } : {}),
  };
}
