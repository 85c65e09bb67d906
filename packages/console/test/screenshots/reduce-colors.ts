import { PNG } from "pngjs";
import { encodePng } from "../stub/png.ts";

const COLORS_MAX = 256;
/** Squared. Colors nearer to a more frequent one get no entry in the palette. */
const DISTANCE_MIN = 64;

/** Reduces an opaque PNG to a palette, which makes it three times smaller. */
export function reduceColors(bytes: Uint8Array): Buffer {
  const { width, height, data } = PNG.sync.read(Buffer.from(bytes));
  const pixels = Uint32Array.from({ length: width * height }, (_, index) => data.readUIntBE(index * 4, 3));
  const counts = new Map<number, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const byFrequency = Array.from(counts.keys()).toSorted((a, b) => counts.get(b)! - counts.get(a)!);
  const palette: number[] = [];
  const indexes = new Map<number, number>();
  for (const color of byFrequency) {
    const distances = palette.map((each) => distance(color, each));
    const least = Math.min(...distances);
    const isAdded = least >= DISTANCE_MIN && palette.length < COLORS_MAX;
    indexes.set(color, isAdded ? palette.push(color) - 1 : distances.indexOf(least));
  }
  const indexed = Buffer.from(pixels.map((color) => indexes.get(color)!));
  const rows = Array.from({ length: height }, (_, y) => indexed.subarray(y * width, (y + 1) * width));
  return encodePng({ width, height }, rows, Buffer.from(palette.flatMap(channels)));
}

function channels(color: number): [red: number, green: number, blue: number] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

function distance(one: number, other: number): number {
  const [a, b] = [channels(one), channels(other)];
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}
