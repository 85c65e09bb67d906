import type { RenderedFile } from "@snap/engine/ports";
import { crc32, deflateSync } from "node:zlib";

/*
 * Tiny valid files that contain a 32-byte digest. PNG and WebP show it as an image of 16 x 16 pixels, one bit
 * per pixel.
 */

const SIDE_PIXELS = 16;

/** Returns a valid file of the content type; its bytes depend only on the digest. */
export function drawDigest(
  digest: Uint8Array,
  contentType: RenderedFile["contentType"],
): Uint8Array<ArrayBuffer> {
  return new Uint8Array(ENCODERS[contentType](digest));
}

const ENCODERS: Readonly<Record<RenderedFile["contentType"], (digest: Uint8Array) => Buffer>> = {
  "image/png": encodePng,
  "image/jpeg": encodeJpeg,
  "image/webp": encodeWebp,
  "image/avif": encodeAvif,
  "application/pdf": encodePdf,
};

/** Grayscale with a bit depth of 1 (PNG specification, 11.2.1): the digest is the bitmap, two bytes per row. */
function encodePng(digest: Uint8Array): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE_PIXELS, 0);
  header.writeUInt32BE(SIDE_PIXELS, 4);
  header.writeUInt8(1, 8);
  const rows = Buffer.alloc(SIDE_PIXELS * 3);
  for (let row = 0; row < SIDE_PIXELS; row += 1) rows.set(digest.subarray(row * 2, row * 2 + 2), row * 3 + 1);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer<ArrayBuffer> {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

/** One gray block of 8 x 8 pixels (ITU-T T.81, annex B), with the digest in a comment segment. */
function encodeJpeg(digest: Uint8Array): Buffer<ArrayBuffer> {
  const comment = Buffer.from(digest).toString("hex");
  // one 1-bit code per table: difference 0 for DC, end of block for AC
  const oneCode = [1, ...Array<number>(15).fill(0), 0];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xfe, Buffer.from(comment, "latin1")),
    jpegSegment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)])),
    jpegSegment(0xc0, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0])),
    jpegSegment(0xc4, Buffer.from([0x00, ...oneCode])),
    jpegSegment(0xc4, Buffer.from([0x10, ...oneCode])),
    jpegSegment(0xda, Buffer.from([1, 1, 0x00, 0, 63, 0])),
    Buffer.from([0b00111111, 0xff, 0xd9]),
  ]);
}

function jpegSegment(marker: number, data: Buffer): Buffer<ArrayBuffer> {
  const length = data.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), data]);
}

/** Lossless (RFC 9649, section 3). Only green varies, so a pixel is one bit: white or magenta. */
function encodeWebp(digest: Uint8Array): Buffer<ArrayBuffer> {
  const bits: number[] = [];
  const push = (value: number, count: number): void => {
    for (let bit = 0; bit < count; bit += 1) bits.push((value >> bit) & 1);
  };
  const pushOneSymbol = (symbol: number): void => {
    push(0b101, 3);
    push(symbol, 8);
  };
  push(SIDE_PIXELS - 1, 14);
  push(SIDE_PIXELS - 1, 14);
  push(0, 1 + 3 + 1 + 1 + 1);
  // a simple code with two symbols for green: 0 and 255
  push(0b011, 3);
  push(0, 1);
  push(255, 8);
  // red, blue, alpha and the distance
  for (const symbol of [255, 255, 255, 0]) pushOneSymbol(symbol);
  for (const byte of digest) push(byte, 8);
  const body = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    body[index >> 3] = (body[index >> 3] ?? 0) | (bit << (index & 7));

  const image = Buffer.concat([Buffer.from([0x2f]), body]);
  const padding = Buffer.alloc(image.length % 2);
  const chunk = Buffer.concat([Buffer.from("VP8L", "latin1"), uint32(image.length), image, padding]);
  return Buffer.concat([
    Buffer.from("RIFF", "latin1"),
    uint32(chunk.length + 4),
    Buffer.from("WEBP", "latin1"),
    chunk,
  ]);
}

function uint32(value: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** An AVIF image of one gray pixel. */
const AVIF_PIXEL = Buffer.from(
  "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAABsAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAEAAAABAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAjbWRhdBIACgc4AAbQENBpMg4f8mKE4AAWAAAQkDWWgA==",
  "base64",
);

/** With the digest in a free-space box (ISO/IEC 14496-12, 8.1.2). */
function encodeAvif(digest: Uint8Array): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(header.length + digest.length);
  header.write("free", 4, "latin1");
  return Buffer.concat([AVIF_PIXEL, header, digest]);
}

/** One empty A4 page (ISO 32000-1, 7.5); the digest is the file identifier in the trailer. */
function encodePdf(digest: Uint8Array): Buffer<ArrayBuffer> {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
  ];
  const identifier = Buffer.from(digest).toString("hex");
  let text = "%PDF-1.4\n";
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [index, object] of objects.entries()) {
    table += `${String(text.length).padStart(10, "0")} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /ID [<${identifier}> <${identifier}>] >>`;
  return Buffer.from(`${text}${table}${trailer}\nstartxref\n${text.length}\n%%EOF\n`, "latin1");
}
