import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { isBlank } from "../../src/puppeteer/page/is-blank.ts";

const SIZE = 10;
/** Rows of white pixels without a filter. */
const WHITE_ROWS = Buffer.concat(
  Array.from({ length: SIZE }, () => Buffer.concat([Buffer.of(0), Buffer.alloc(SIZE * 3, 0xff)])),
);

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

function png(rows: Buffer): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 2], 8);
  return Buffer.concat([Buffer.alloc(8), chunk("IHDR", header), chunk("IDAT", deflateSync(rows))]);
}

const isBlankPng = (rows: Buffer): Promise<boolean> =>
  isBlank({ bytes: png(rows), contentType: "image/png", targetStatus: 200, notes: [] });

it("an image is decompressed only as far as its size allows", async () => {
  expect(await isBlankPng(WHITE_ROWS)).toBe(true);
  const bomb = Buffer.concat([WHITE_ROWS, Buffer.alloc(100_000)]);
  await expect(isBlankPng(bomb)).rejects.toThrow("Cannot create a Buffer larger than 310 bytes");
});
