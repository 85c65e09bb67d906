import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createImageProcessor, type ImageProcessor } from "../../src/images/image-processor.ts";
import { createPreviewsWith } from "../../src/images/previews.ts";

const LIMITS = { maxBytes: 20_000, maxSidePx: 600 };

/** An image that compresses badly. */
async function noise(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const noisy = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width, height, channels: 3, background: "#000000", noise: noisy } })
    .png()
    .toBuffer();
}

const plain = (width: number, height: number): Promise<Uint8Array<ArrayBuffer>> =>
  sharp({ create: { width, height, channels: 3, background: "#ff0000" } })
    .png()
    .toBuffer();

function processor({ isInstalled = true, waiting = 0 } = {}): ImageProcessor & { runs: number } {
  const images = createImageProcessor({ isInstalled: () => isInstalled, load: async () => sharp });
  let runs = 0;
  return {
    isInstalled,
    isAvailable: isInstalled,
    version: null,
    waiting,
    load: () => images.load(),
    run: (work, request) => {
      runs += 1;
      return images.run(work, request);
    },
    get runs() {
      return runs;
    },
  };
}

describe("createPreviewsWith", () => {
  it("keeps the size of an image whose preview fits the limits", async () => {
    const bytes = await plain(300, 200);
    const preview = await createPreviewsWith(
      processor(),
      LIMITS,
    )({ accountId: "acct_1", etag: '"1"', bytes });
    const { format, width, height } = await sharp(preview?.bytes).metadata();
    expect([format, width, height]).toEqual(["webp", 300, 200]);
    expect(preview).toMatchObject({ width: 300, height: 200 });
  });

  it("shrinks an image with a side or a file that is too large, in proportion", async () => {
    const find = createPreviewsWith(processor(), LIMITS);
    const wide = await find({ accountId: "acct_1", etag: '"1"', bytes: await plain(1200, 100) });
    expect([wide?.width, wide?.height]).toEqual([600, 50]);
    const noisy = await find({ accountId: "acct_1", etag: '"2"', bytes: await noise(600, 300) });
    expect(noisy?.bytes.length).toBeLessThanOrEqual(20_000);
    const { width, height } = await sharp(noisy?.bytes).metadata();
    expect([width, height]).toEqual([noisy?.width, noisy?.height]);
    expect(width).toBeLessThan(600);
    expect(Math.abs(width - 2 * height)).toBeLessThanOrEqual(2);
  });

  it("returns null if no attempt fits", async () => {
    const find = createPreviewsWith(processor(), { maxBytes: 20, maxSidePx: 600 });
    expect(await find({ accountId: "acct_1", etag: '"1"', bytes: await plain(300, 200) })).toBe(null);
  });

  it("returns null for a corrupt image, and for another file", async () => {
    const find = createPreviewsWith(processor(), LIMITS);
    const image = await plain(300, 200);
    for (const bytes of [image.subarray(0, image.length / 2), Buffer.from("%PDF-1.4")])
      expect(await find({ accountId: "acct_1", etag: `"${bytes.length}"`, bytes })).toBe(null);
  });

  it("returns null without sharp, and while others wait", async () => {
    const bytes = await plain(300, 200);
    for (const images of [processor({ isInstalled: false }), processor({ waiting: 2 })]) {
      expect(await createPreviewsWith(images, LIMITS)({ accountId: "acct_1", etag: '"1"', bytes })).toBe(
        null,
      );
      expect(images.runs).toBe(0);
    }
  });

  it("lets an account wait for two previews at a time, and shares one that is being made", async () => {
    const images = processor();
    const find = createPreviewsWith(images, LIMITS);
    const bytes = await plain(300, 200);
    const one = (accountId: string, etag: string): Promise<unknown> => find({ accountId, etag, bytes });
    const found = await Promise.all([
      one("acct_1", '"1"'),
      one("acct_1", '"2"'),
      one("acct_1", '"3"'),
      one("acct_2", '"4"'),
      one("acct_2", '"1"'),
    ]);
    expect(found.map((preview) => preview !== null)).toEqual([true, true, false, true, true]);
    expect(found[4]).toBe(found[0]);
    expect(images.runs).toBe(3);
    expect(await one("acct_1", '"3"')).not.toBe(null);
  });

  it("does not wait for the account's other images", async () => {
    const images = createImageProcessor({ isInstalled: () => true, load: async () => sharp });
    const converted = Promise.withResolvers<void>();
    const conversion = images.run(() => converted.promise, { owner: "acct_1" });
    const find = createPreviewsWith(images, LIMITS);
    const bytes = await plain(300, 200);
    const found = await Promise.all(
      ["acct_1", "acct_2"].map((accountId) => find({ accountId, etag: accountId, bytes })),
    );
    expect(found.map((preview) => preview?.width)).toEqual([300, 300]);
    converted.resolve();
    await conversion;
  });

  it("does not retry an image that has no preview", async () => {
    const images = processor();
    const find = createPreviewsWith(images, LIMITS);
    const corrupt = { accountId: "acct_1", etag: '"1"', bytes: Buffer.from("%PDF-1.4") };
    expect([await find(corrupt), await find(corrupt)]).toEqual([null, null]);
    expect(images.runs).toBe(1);
  });

  it("makes the preview of a rendering once", async () => {
    const images = processor();
    const find = createPreviewsWith(images, LIMITS);
    const rendering = { accountId: "acct_1", etag: '"1"', bytes: await plain(300, 200) };
    expect(await find(rendering)).toBe(await find(rendering));
    expect(images.runs).toBe(1);
  });
});
