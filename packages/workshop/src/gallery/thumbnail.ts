import { PNG } from "pngjs";

const MAX_HEIGHT = 640;
const MAX_WIDTH = 400;

/** Scales a PNG down to its size on the page, and compresses it well. */
export function toThumbnail(bytes: Uint8Array): Buffer {
  const source = PNG.sync.read(Buffer.from(bytes));
  const ratio = Math.min(1, MAX_HEIGHT / source.height, MAX_WIDTH / source.width);
  const [width, height] = [source.width, source.height].map((side) => Math.max(1, Math.round(side * ratio)));
  const scaled = new PNG({ width: width ?? 1, height: height ?? 1 });
  for (let y = 0; y < scaled.height; y += 1)
    for (let x = 0; x < scaled.width; x += 1)
      scaled.data.set(averageColor(source, scaled, x, y), (y * scaled.width + x) * 4);
  return PNG.sync.write(scaled, { colorType: 2, inputHasAlpha: true });
}

/** The average of the pixels that a pixel of the scaled picture covers. */
function averageColor(source: PNG, scaled: PNG, x: number, y: number): number[] {
  const [left, right] = rangeOf(x, source.width / scaled.width);
  const [top, bottom] = rangeOf(y, source.height / scaled.height);
  const sums = [0, 0, 0, 0];
  for (let row = top; row < bottom; row += 1)
    for (let column = left; column < right; column += 1)
      for (const part of sums.keys())
        sums[part] = (sums[part] ?? 0) + (source.data[(row * source.width + column) * 4 + part] ?? 0);
  return sums.map((sum) => Math.round(sum / ((right - left) * (bottom - top))));
}

function rangeOf(index: number, step: number): readonly [from: number, to: number] {
  const from = Math.floor(index * step);
  return [from, Math.max(from + 1, Math.floor((index + 1) * step))];
}
