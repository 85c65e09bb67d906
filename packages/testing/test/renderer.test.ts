import { parseParameters, SnapError, type SnapParameters } from "@snap/engine";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createFakeRenderer } from "../src/index.ts";

function parametersOf(change: Readonly<Record<string, unknown>> = {}): SnapParameters {
  return parseParameters({ url: "https://example.com/", ...change });
}

describe("createFakeRenderer", () => {
  it.each([
    [{}, "image/png", "89504e470d0a1a0a", 200],
    [{ format: "jpeg" }, "image/jpeg", "ffd8ff", 200],
    [{ format: "webp" }, "image/webp", "52494646", 200],
    [{ output: "avif" }, "image/avif", "0000001c66747970617669", 200],
    [{ pdf: true }, "application/pdf", "255044462d", null],
  ])("returns a file in the format requested by %o", async (change, contentType, magic, targetStatus) => {
    const file = await createFakeRenderer().render(parametersOf(change));
    expect(file.contentType).toBe(contentType);
    expect(Buffer.from(file.bytes).toString("hex")).toMatch(new RegExp(`^${magic}`));
    expect(file.targetStatus).toBe(targetStatus);
    expect(file.notes).toEqual([]);
  });

  it("draws a PNG of 16 x 16 pixels", async () => {
    const { bytes } = await createFakeRenderer().render(parametersOf());
    const png = Buffer.from(bytes);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([16, 16]);
    const dataLength = png.readUInt32BE(33);
    expect(inflateSync(png.subarray(41, 41 + dataLength))).toHaveLength(48);
  });

  it.each([{ format: "png" }, { format: "jpeg" }, { format: "webp" }, { output: "avif" }, { pdf: true }])(
    "returns identical bytes only for the same rendering parameters (%o)",
    async (mode) => {
      const draw = async (change: object): Promise<Buffer> => {
        const { bytes } = await createFakeRenderer().render(parametersOf({ ...mode, ...change }));
        return Buffer.from(bytes);
      };
      expect(await draw({})).toEqual(await draw({}));
      expect(await draw({})).toEqual(await draw({ cache: false }));
      expect(await draw({})).toEqual(await draw({ cacheTtl: 60 }));
      expect(await draw({})).not.toEqual(await draw({ url: "https://example.com/other" }));
      expect(await draw({})).not.toEqual(await draw({ scale: 2 }));
    },
  );

  it("returns the configured status and notes", async () => {
    const renderer = createFakeRenderer({ targetStatus: 404, notes: ["wait-capped"] });
    expect(await renderer.render(parametersOf())).toMatchObject({
      targetStatus: 404,
      notes: ["wait-capped"],
    });
  });

  it("records its calls and fails the given number of times", async () => {
    const renderer = createFakeRenderer();
    renderer.failNext(new SnapError("render_timeout", "as scripted"), 2);
    renderer.failNext(new SnapError("upstream_error", "as scripted"));
    for (const code of ["render_timeout", "render_timeout", "upstream_error"])
      await expect(renderer.render(parametersOf())).rejects.toMatchObject({ code });
    await renderer.render(parametersOf({ scale: 3 }));
    expect(renderer.calls.map((call) => call.scale)).toEqual([1, 1, 1, 3]);
  });

  it("holds renders until they are released", async () => {
    const renderer = createFakeRenderer();
    const release = renderer.hold();
    let done = 0;
    const renders = [1, 2].map(async (scale) => {
      await renderer.render(parametersOf({ scale }));
      done += 1;
    });
    await renderer.whenCalled(2);
    expect(done).toBe(0);
    release();
    await Promise.all(renders);
    expect(done).toBe(2);
    await renderer.render(parametersOf());
    await renderer.whenCalled(3);
  });

  it("reports its health", async () => {
    const renderer = createFakeRenderer();
    expect(await renderer.health()).toEqual({ ready: true, reason: null });
    renderer.setUnready("the browser cannot start");
    expect(await renderer.health()).toEqual({ ready: false, reason: "the browser cannot start" });
    renderer.setUnready(null);
    expect(await renderer.health()).toEqual({ ready: true, reason: null });
  });

  it("rejects running and later renders once it is closed", async () => {
    const renderer = createFakeRenderer();
    renderer.hold();
    const render = renderer.render(parametersOf());
    await renderer.close();
    await expect(render).rejects.toMatchObject({ code: "upstream_error" });
    await expect(renderer.render(parametersOf())).rejects.toMatchObject({ code: "upstream_error" });
    expect(await renderer.health()).toEqual({ ready: false, reason: "closed" });
  });
});
