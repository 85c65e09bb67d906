import {
  CAPTURE_LIMITS,
  DEFAULT_AVIF_QUALITY,
  fileFormatOf,
  type ScreenshotParameters,
} from "@snap/protocol";
import type { Sharp as Image } from "sharp";
import type { Sharp } from "./image-processor.ts";

/** Converting the largest image takes a quarter of this. */
const CONVERSION_MAX_SECONDS = 30;
/** Chromium's default for JPEG and WebP. */
const DEFAULT_QUALITY = 80;
/** The first bytes of each format, in Latin-1; `[^]` is any byte. PNG 5.2, JPEG B.1.1.3, RFC 9649 2.4, AVIF 1.1 6.2. */
const SIGNATURES = [/^\x89PNG\r\n/, /^\xFF\xD8\xFF/, /^RIFF[^]{4}WEBP/, /^[^]{4}ftypavif/];
const SIGNATURE_BYTES = 12;
/** The fastest: higher ones make files 5% smaller, and take at least 6 times as long. */
const AVIF_EFFORT = 0;

/**
 * Opens an image for processing. The encoded result has no metadata.
 *
 * @throws Error unless it is a PNG, JPEG, WebP or AVIF image: a compromised browser must not reach other decoders.
 */
export function openImage(sharp: Sharp, bytes: Uint8Array): Image {
  if (!hasImageSignature(bytes)) throw new Error("The file is not a PNG, JPEG, WebP or AVIF image.");
  const options = { failOn: "warning", limitInputPixels: CAPTURE_LIMITS.devicePixels } as const;
  return sharp(bytes, options).timeout({ seconds: CONVERSION_MAX_SECONDS });
}

/** Returns whether a file starts like a PNG, JPEG, WebP or AVIF image. */
export function hasImageSignature(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES)).toString("latin1");
  return SIGNATURES.some((signature) => signature.test(start));
}

/** Resizes a screenshot, and encodes it in the requested format. */
export async function convertImage(
  sharp: Sharp,
  bytes: Uint8Array,
  parameters: ScreenshotParameters,
): Promise<Uint8Array<ArrayBuffer>> {
  return encode(resize(openImage(sharp, bytes), parameters), parameters).toBuffer();
}

function resize(image: Image, parameters: ScreenshotParameters): Image {
  const { resizeWidth, resizeHeight, resizeFit = "inside", resizePosition = "center" } = parameters;
  if (resizeWidth === undefined && resizeHeight === undefined) return image;
  return image.resize({
    ...(resizeWidth !== undefined && { width: resizeWidth }),
    ...(resizeHeight !== undefined && { height: resizeHeight }),
    fit: resizeFit,
    position: resizePosition,
    withoutEnlargement: true,
    // JPEG has no transparency
    background: fileFormatOf(parameters) === "jpeg" ? "#ffffff" : "#00000000",
  });
}

function encode(image: Image, parameters: ScreenshotParameters): Image {
  const { quality } = parameters;
  switch (fileFormatOf(parameters)) {
    case "png":
      return image.png();
    case "jpeg":
      return image.jpeg({ quality: quality ?? DEFAULT_QUALITY });
    case "webp":
      return image.webp({ quality: quality ?? DEFAULT_QUALITY });
    case "avif":
      return image.avif({ quality: quality ?? DEFAULT_AVIF_QUALITY, effort: AVIF_EFFORT });
  }
}
