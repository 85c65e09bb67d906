import { PNG } from "pngjs";
import type { Expectation } from "./entry.ts";

/** Video codecs and color conversions change a color by a few steps. */
const TOLERANCE = 8;

export interface Rendered {
  /** A PNG. */
  readonly bytes: Uint8Array;
  readonly notes: readonly string[];
}

/** Compares a picture with its expectation. Returns one line for each difference. */
export function findProblems({ bytes, notes }: Rendered, expected: Expectation): string[] {
  const png = PNG.sync.read(Buffer.from(bytes));
  const { width, height } = png;
  const problems: string[] = [];
  const [expectedSize, size] = [expected.size.join(" x "), `${width} x ${height}`];
  if (size !== expectedSize) problems.push(`is ${size} pixels, not ${expectedSize}`);
  const [expectedNotes, found] = [expected.notes, notes].map((list) => [...list].toSorted().join(", "));
  if (found !== expectedNotes) problems.push(`has the notes [${found}], not [${expectedNotes}]`);
  for (const [x, y, color] of expected.colors) {
    const pixel = x < width && y < height ? pixelAt(png, y * width + x) : null;
    if (pixel === null || !isLike(pixel, parseColor(color)))
      problems.push(`is ${pixel === null ? "nothing" : formatColor(pixel)} at ${x}, ${y}, not ${color}`);
  }
  for (const color of expected.absent) {
    const at = findPixel(png, parseColor(color));
    if (at !== -1) problems.push(`has ${color} at ${at % width}, ${Math.floor(at / width)}`);
  }
  return problems;
}

type Color = readonly [red: number, green: number, blue: number];

function parseColor(text: string): Color {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function formatColor(color: Color): string {
  return `#${color.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function pixelAt({ data }: PNG, index: number): Color {
  const [red = 0, green = 0, blue = 0] = data.subarray(index * 4, index * 4 + 3);
  return [red, green, blue];
}

function isLike(one: Color, other: Color): boolean {
  return one.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= TOLERANCE);
}

/** Returns the index of the first pixel with the color, or -1. */
function findPixel(png: PNG, color: Color): number {
  const count = png.width * png.height;
  for (let index = 0; index < count; index += 1) if (isLike(pixelAt(png, index), color)) return index;
  return -1;
}
