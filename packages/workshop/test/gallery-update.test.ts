import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it, onTestFinished, vi } from "vitest";
import { ENTRIES } from "../src/gallery/groups.ts";
import { updateEntries } from "../src/gallery/update.ts";

function draw(red: number): Promise<Buffer> {
  const background = { r: red, g: 0, b: 0 };
  return sharp({ create: { width: 800, height: 600, channels: 3, background } })
    .png()
    .toBuffer();
}

it("replaces an entry completely or not at all, and removes the pictures of former entries", async () => {
  const root = await mkdtemp(join(tmpdir(), "snap-gallery-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, "docs/gallery");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "former-before.png"), "");
  for (const method of ["log", "error"] as const) vi.spyOn(console, method).mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const [good, failing, wrong] = ENTRIES;
  if (!good || !failing || !wrong) throw new Error("the gallery has too few entries");

  let renders = 0;
  const allPassed = await updateEntries(
    [good, failing, wrong],
    {
      async show(entry, side) {
        if (entry === failing && side === "after") throw new Error("no browser");
        const problems = entry === wrong && side === "after" ? ["after is empty"] : [];
        return { bytes: await draw((renders += 1)), problems, durationMs: 7 };
      },
    },
    root,
  );

  expect(allPassed).toBe(false);
  const written = await readdir(folder);
  expect(written.toSorted()).toEqual([`${good.name}-after.png`, `${good.name}-before.png`, "measured.json"]);
  expect(JSON.parse(await readFile(join(folder, "measured.json"), "utf8"))).toEqual({
    [good.name]: { before: 7, after: 7 },
  });
  // `before` is rendered once and `after` three times; the last `after` is written.
  const { data, info } = await sharp(join(folder, `${good.name}-after.png`))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, data[0]]).toEqual([400, 300, 4]);
});
