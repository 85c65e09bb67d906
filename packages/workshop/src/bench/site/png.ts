import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const DEPTH_BITS = 8;
const COLOUR_TYPE_RGB = 2;

/** A picture of smooth colours with some grain, always the same for one number (PNG, W3C, clauses 5 and 11). */
export function drawPng(number: number, widthPx: number, heightPx: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(widthPx, 0);
  header.writeUInt32BE(heightPx, 4);
  header.set([DEPTH_BITS, COLOUR_TYPE_RGB], 8);
  const lines = Buffer.alloc(heightPx * (1 + widthPx * 3));
  let at = 0;
  let grain = number + 1;
  for (let y = 0; y < heightPx; y += 1) {
    lines[at++] = 0; // No filter.
    for (let x = 0; x < widthPx; x += 1) {
      grain = (Math.imul(grain, 1_103_515_245) + 12_345) >>> 0;
      lines[at++] = (x + number * 7 + (grain >>> 29)) & 0xff;
      lines[at++] = (y + number * 13) & 0xff;
      lines[at++] = (x + y + number * 29) & 0xff;
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
