import { PNG } from "pngjs";

/** Draws a gradient with some grain; the same number gives the same image. */
export function drawPng(number: number, sidePx: number): Buffer {
  const png = new PNG({ width: sidePx, height: sidePx, colorType: 2 });
  let grain = number + 1;
  for (let at = 0; at < png.data.length; at += 4) {
    const [x, y] = [(at / 4) % sidePx, Math.floor(at / 4 / sidePx)];
    grain = (Math.imul(grain, 1_103_515_245) + 12_345) >>> 0;
    png.data.set([x + number * 7 + (grain >>> 29), y + number * 13, x + y + number * 29, 255], at);
  }
  return PNG.sync.write(png, { colorType: 2, filterType: 0 });
}
