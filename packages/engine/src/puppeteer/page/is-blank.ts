import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { RenderedFile } from "../../ports/renderer.ts";

/** A uniform image is compressed by a factor of 169, and few other images by 160 or more. */
const COMPRESSION_MIN = 160;
/** Maximum size of a file in addition to its rows. */
const OVERHEAD_BYTES = 300;
/** Larger images are not checked, to limit memory and time. */
const RAW_MAX_BYTES = 32 * 1024 * 1024;

const SIGNATURE_BYTES = 8;
/** PNG (third edition), 11.2.1: bytes per pixel by color type, for truecolor without and with alpha. */
const PIXEL_BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };
/** Row filters (PNG, 9.2). */
const NONE = 0;
const UP = 2;
const WHITE = 0xff;
const TRANSPARENT = 0x00;

/**
 * Returns whether every pixel of a PNG from Chromium is white, or every pixel is transparent, as if the page had
 * painted nothing. Decompresses only small files, so most images cost nothing. Returns `false` for other formats.
 */
export async function isBlank({ bytes, contentType }: RenderedFile): Promise<boolean> {
  if (contentType !== "image/png") return false;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const pixelBytes = PIXEL_BYTES[file.readUInt8(25)];
  if (pixelBytes === undefined) return false;
  const rowBytes = 1 + width * pixelBytes;
  const rawBytes = rowBytes * height;
  if (file.length > OVERHEAD_BYTES + rawBytes / COMPRESSION_MIN || rawBytes > RAW_MAX_BYTES) return false;
  const raw = await promisify(inflate)(imageData(file), { maxOutputLength: rawBytes });
  const color = raw[1];
  if (color !== WHITE && !(color === TRANSPARENT && pixelBytes === 4)) return false;
  const plain = Buffer.alloc(rowBytes - 1, color);
  const unchanged = Buffer.alloc(rowBytes - 1, 0);
  for (let start = 0; start < rawBytes; start += rowBytes) {
    const filter = raw[start];
    // the row above the first one counts as all zeros
    const expected = filter === UP && start > 0 ? unchanged : plain;
    const isKnown = filter === UP || filter === NONE;
    if (!isKnown || !raw.subarray(start + 1, start + rowBytes).equals(expected)) return false;
  }
  return true;
}

/** Returns the compressed rows, which are spread over several chunks. */
function imageData(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < file.length;) {
    const length = file.readUInt32BE(at);
    const data = at + 8;
    if (file.toString("latin1", at + 4, data) === "IDAT") parts.push(file.subarray(data, data + length));
    at = data + length + 4;
  }
  return Buffer.concat(parts);
}
