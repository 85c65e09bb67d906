import { SnapError } from "./errors.ts";
import { CAPTURE_TOO_LARGE } from "./ports/renderer.ts";

/** Default of the `maxRenderingBytes` options. */
export const DEFAULT_MAX_RENDERING_BYTES = 64 * 1024 * 1024;

/** Returns the error for a rendering that is larger than the limit. */
export function renderingTooLarge(maxRenderingBytes: number): SnapError {
  const limit = maxRenderingBytes.toLocaleString("en-US");
  return new SnapError(
    "render_failed",
    `The rendering is larger than the limit of ${limit} bytes. ` +
      "Capture less of the page; for a screenshot, use WebP or JPEG instead of PNG.",
    { notes: [CAPTURE_TOO_LARGE] },
  );
}
