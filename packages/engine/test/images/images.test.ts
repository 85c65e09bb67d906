import type { ScreenshotParameters } from "@snap/protocol";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { convertImage, hasImageSignature } from "../../src/images/convert-image.ts";
import { createImageProcessor, type Sharp } from "../../src/images/image-processor.ts";
import { resizedSize } from "../../src/images/resized-size.ts";
import { screenshotParameters } from "../../src/parameters/schemas.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";

const url = "https://example.com/";

async function pngOf(width: number, height: number): Promise<Uint8Array> {
  return sharp({ create: { width, height, channels: 3, background: "#ff0000" } })
    .png()
    .toBuffer();
}

describe("resizedSize", () => {
  const sizes: readonly Pick<ScreenshotParameters, "resizeWidth" | "resizeHeight">[] = [
    { resizeWidth: 100 },
    { resizeHeight: 33 },
    { resizeWidth: 1000 },
    { resizeWidth: 100, resizeHeight: 40 },
    { resizeWidth: 40, resizeHeight: 100 },
    { resizeWidth: 300, resizeHeight: 100 },
    { resizeWidth: 1000, resizeHeight: 1000 },
    { resizeWidth: 1, resizeHeight: 1 },
  ];
  const fits = ["inside", "cover", "contain"] as const;
  const cases = sizes.flatMap((size) => fits.map((resizeFit) => [resizeFit, size] as const));

  it.each(cases)("is the size of the converted image: %s %o", async (resizeFit, size) => {
    const resizing = { ...size, resizeFit };
    for (const [widthPixels, heightPixels] of [
      [251, 100],
      [100, 377],
    ] as const) {
      const parameters = screenshotParameters.parse({ url, ...resizing });
      const bytes = await convertImage(sharp, await pngOf(widthPixels, heightPixels), parameters);
      const { width, height } = await sharp(bytes).metadata();
      expect(resizedSize({ widthPixels, heightPixels }, resizing)).toEqual({
        widthPixels: width,
        heightPixels: height,
      });
    }
  });

  it("is the original size if no dimensions are given", () => {
    const size = { widthPixels: 3, heightPixels: 5 };
    expect(resizedSize(size, {})).toEqual(size);
  });
});

describe("convertImage", () => {
  it.each(["<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>", "%PDF-1.4", "GIF89a", ""])(
    "does not open anything but PNG, JPEG, WebP and AVIF: %j",
    async (text) => {
      const parameters = screenshotParameters.parse({ url, output: "avif" });
      await expect(convertImage(sharp, Buffer.from(text), parameters)).rejects.toThrow(
        "The file is not a PNG, JPEG, WebP or AVIF image.",
      );
    },
  );

  it("rejects a corrupt image", async () => {
    const png = await pngOf(200, 200);
    const parameters = screenshotParameters.parse({ url, output: "avif" });
    await expect(convertImage(sharp, png.subarray(0, png.length / 2), parameters)).rejects.toThrow(/png/i);
  });
});

describe("hasImageSignature", () => {
  it("recognizes the formats of renderings", async () => {
    const png = await pngOf(2, 2);
    for (const format of ["png", "jpeg", "webp", "avif"] as const)
      expect(hasImageSignature(await sharp(png).toFormat(format).toBuffer())).toBe(true);
  });
});

describe("createImageProcessor", () => {
  it("is not available without sharp", async () => {
    const missing = new Error("Cannot find package 'sharp'");
    const images = createImageProcessor({ isInstalled: () => false, load: () => Promise.reject(missing) });
    expect(images.isAvailable).toBe(false);
    expect(await images.load()).toBe(missing);
    await expect(images.run(async () => 1)).rejects.toBe(missing);
  });

  it("is no longer available if sharp does not load", async () => {
    const broken = new Error("Could not load the sharp module");
    const images = createImageProcessor({ isInstalled: () => true, load: () => Promise.reject(broken) });
    expect(images.isAvailable).toBe(true);
    expect(await images.load()).toBe(broken);
    expect(images.isAvailable).toBe(false);
  });

  it("loads sharp once, when it is first needed", async () => {
    let loads = 0;
    const load = async (): Promise<Sharp> => {
      loads += 1;
      return sharp;
    };
    const images = createImageProcessor({ isInstalled: () => true, load });
    expect(loads).toBe(0);
    expect(await images.load()).toBe(null);
    await Promise.all([images.run(async () => {}), images.run(async () => {})]);
    expect(loads).toBe(1);
  });

  it("has the version of sharp once the first run has loaded it", async () => {
    const images = createImageProcessor({ isInstalled: () => true, load: async () => sharp });
    expect(images.version).toBe(null);
    await images.run(async () => {});
    expect(images.version).toBe(sharp.versions.sharp);
  });

  it("processes the images of one owner one after another, so others do not wait for all of them", async () => {
    const images = createImageProcessor({ isInstalled: () => true, load: async () => sharp });
    const gates = new Map(["a1", "a2", "b1"].map((name) => [name, Promise.withResolvers<void>()]));
    const started: string[] = [];
    const process = async (name: string): Promise<void> => {
      started.push(name);
      await gates.get(name)?.promise;
    };
    const runs = [...gates.keys()].map((name) =>
      images.run(() => process(name), { owner: name.slice(0, 1) }),
    );
    await images.load();
    await expect.poll(() => started).toEqual(["a1", "b1"]);
    gates.get("a1")?.resolve();
    await expect.poll(() => started).toEqual(["a1", "b1", "a2"]);
    for (const { resolve } of gates.values()) resolve();
    await Promise.all(runs);
  });

  it.each([[undefined], ["a"]])(
    "starts the next work only after aborted work has ended (owner %s)",
    async (owner) => {
      const images = createImageProcessor({ isInstalled: () => true, load: async () => sharp });
      const gates = [0, 1].map(() => Promise.withResolvers<void>());
      const started: number[] = [];
      const aborted = new AbortController();
      const begin = (index: number): Promise<void> =>
        images.run(
          async () => {
            started.push(index);
            await gates[index]?.promise;
          },
          { owner, signal: aborted.signal },
        );
      const first = owner === undefined ? [0, 1] : [0];
      const running = first.map(begin);
      await expect.poll(() => started).toEqual(first);
      const next = images.run(async () => void started.push(2), { owner });
      aborted.abort(new Error("given up"));
      await images.load();
      await flushMicrotasks();
      expect(started).toEqual(first);
      for (const { resolve } of gates) resolve();
      await Promise.all([...running, next]);
      expect(started).toEqual([...first, 2]);
    },
  );

  it("processes two images at once, and skips a waiting one that is aborted", async () => {
    const images = createImageProcessor({ isInstalled: () => true, load: async () => sharp });
    const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const started: number[] = [];
    const runs = gates.map(({ promise }, index) =>
      images.run(async () => {
        started.push(index);
        await promise;
      }),
    );
    const aborted = new AbortController();
    const skipped = images.run(async () => void started.push(3), { signal: aborted.signal });
    await images.load();
    expect([started, images.waiting]).toEqual([[0, 1], 2]);
    aborted.abort(new Error("given up"));
    await expect(skipped).rejects.toThrow("given up");
    for (const { resolve } of gates) resolve();
    await Promise.all(runs);
    expect(started).toEqual([0, 1, 2]);
  });
});
