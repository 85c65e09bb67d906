import { fileFormatOf, processingIn, type SnapParameters } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { convertImage } from "../images/convert-image.ts";
import type { ImageProcessor } from "../images/image-processor.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import { renderingTooLarge } from "../rendering-limit.ts";
import { abortable } from "../timeouts.ts";
import { describe } from "./describe.ts";

/** Returns whether the parameters need image processing. */
export function needsProcessing(parameters: SnapParameters): boolean {
  return processingIn(parameters).length > 0;
}

export interface Conversion {
  readonly parameters: SnapParameters;
  readonly images: ImageProcessor;
  /** Images of the same owner are processed one at a time. */
  readonly owner: string | undefined;
  readonly maxBytes: number;
}

/**
 * Resizes and encodes a screenshot as the parameters require. The render no longer has a tab, but still holds its slot.
 *
 * @throws SnapError `render_failed` if the file is larger than `maxBytes`, or the screenshot cannot be converted.
 */
export async function convertFile(
  file: RenderedFile,
  { parameters, images, owner, maxBytes }: Conversion,
  signal: AbortSignal,
): Promise<RenderedFile> {
  if (parameters.pdf || !needsProcessing(parameters)) return file;
  const converting = images.run((sharp) => convertImage(sharp, file.bytes, parameters), {
    owner,
    signal,
  });
  const bytes = await abortable(signal, converting).catch((error: unknown) => {
    signal.throwIfAborted();
    const detail = describe(error);
    throw new SnapError("render_failed", "The screenshot could not be converted.", { detail, cause: error });
  });
  if (bytes.byteLength > maxBytes) throw renderingTooLarge(maxBytes);
  return { ...file, bytes, contentType: `image/${fileFormatOf(parameters)}` };
}
