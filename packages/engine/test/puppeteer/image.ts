import { PNG } from "pngjs";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Decodes a PNG; a pixel is `[red, green, blue, alpha]`. */
export function readPng(bytes: Uint8Array): Size & { pixel(x: number, y: number): number[] } {
  const { width, height, data } = PNG.sync.read(Buffer.from(bytes));
  return {
    width,
    height,
    pixel: (x, y) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)],
  };
}

/** Reads the size from the frame header (ITU-T T.81, B.2.2), skipping the markers before it. */
export function readJpegSize(bytes: Uint8Array): Size {
  const view = Buffer.from(bytes);
  if (view.readUInt16BE(0) !== 0xffd8) throw new Error("not a JPEG");
  for (let at = 2; ; at += 2 + view.readUInt16BE(at + 2)) {
    const marker = view.readUInt16BE(at);
    if (marker === 0xffc0 || marker === 0xffc2) {
      return { height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) };
    }
  }
}

/** RFC 9649, 2.5 to 2.7: simple lossy (`VP8 `), simple lossless (`VP8L`) and extended (`VP8X`) files. */
export function readWebpSize(bytes: Uint8Array): Size {
  const view = Buffer.from(bytes);
  if (view.toString("latin1", 8, 12) !== "WEBP") throw new Error("not a WebP");
  switch (view.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const packed = view.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    default:
      return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
  }
}
