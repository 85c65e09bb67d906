import { PNG } from "pngjs";

/** Draws a gradient with noise. The same seed and size give the same image. */
export function drawPng(seed: number, sidePx: number): Buffer {
  const png = new PNG({ width: sidePx, height: sidePx, colorType: 2 });
  let noise = seed + 1;
  for (let offset = 0; offset < png.data.length; offset += 4) {
    const [x, y] = [(offset / 4) % sidePx, Math.floor(offset / 4 / sidePx)];
    noise = (Math.imul(noise, 1_103_515_245) + 12_345) >>> 0;
    png.data.set([x + seed * 7 + (noise >>> 29), y + seed * 13, x + y + seed * 29, 255], offset);
  }
  return PNG.sync.write(png, { colorType: 2, filterType: 0 });
}
