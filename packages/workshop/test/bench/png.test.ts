import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { drawPng } from "../../src/bench/site/png.ts";

it("draws a PNG of the size that was asked for, the same every time", () => {
  const png = drawPng(3, 5, 4);
  expect(png.subarray(0, 8).toString("latin1")).toBe("\u0089PNG\r\n\u001A\n");
  expect([png.toString("latin1", 12, 16), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
    "IHDR",
    5,
    4,
  ]);
  // Behind a header of 13 bytes: four lines of a filter byte and five pixels.
  const dataLength = png.readUInt32BE(33);
  expect(inflateSync(png.subarray(41, 41 + dataLength))).toHaveLength(4 * (1 + 5 * 3));
  // The end of every PNG, checksum included.
  expect(png.subarray(-12).toString("hex")).toBe("0000000049454e44ae426082");
  expect(drawPng(3, 5, 4).equals(png)).toBe(true);
  expect(drawPng(4, 5, 4).equals(png)).toBe(false);
});
