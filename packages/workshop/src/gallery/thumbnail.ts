import sharp from "sharp";

/** Scales a PNG down to its size on the page, and compresses it well. */
export function toThumbnail(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes)
    .resize({ width: 400, height: 640, fit: "inside", withoutEnlargement: true })
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}
