import { crc32, deflateSync } from "node:zlib";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns a striped PNG, recognizable on a screen. */
export function drawPng({ width, height }: Size): Buffer {
  const colors = [
    [47, 86, 217],
    [245, 246, 248],
    [20, 150, 110],
    [245, 246, 248],
  ];
  const rows = Array.from({ length: height }, (_, y) => {
    const color = colors[Math.floor(y / 40) % colors.length]!;
    return Buffer.alloc(width * 3, Buffer.from(color));
  });
  return encodePng({ width, height }, rows);
}

/** Encodes rows of RGB pixels (PNG specification, clause 11). */
function encodePng({ width, height }: Size, rows: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const unfiltered = Buffer.concat(rows.flatMap((row) => [Buffer.of(0), row]));
  return Buffer.concat([
    Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(unfiltered, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
