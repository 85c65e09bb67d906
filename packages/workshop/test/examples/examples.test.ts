import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

/** `missing` is a setting that the program requires; `null` for an example that is not a program. */
const EXAMPLES: readonly (readonly [name: string, tags: readonly string[], missing: string | null])[] = [
  ["call-with-the-client", ["browser"], "SNAP_BASE_URL"],
  ["collect-a-batch", ["browser"], "SNAP_BASE_URL"],
  ["embed-in-express", ["browser"], "SNAP_SECRET_KEY"],
  ["invoice-pdf", ["browser"], "SNAP_BASE_URL"],
  ["markdown-report", ["browser"], "SNAP_BASE_URL"],
  ["receive-webhooks-express", [], "SNAP_SIGNING_SECRET"],
  ["receive-webhooks-web", [], "SNAP_SIGNING_SECRET"],
  ["recipes", ["browser"], null],
  ["signed-images", ["browser"], "SNAP_TOKEN_ID"],
  ["social-image", ["browser"], "SNAP_BASE_URL"],
];

const folderOf = (name: string): string => join(ROOT, "examples", name);

describe("examples", () => {
  it("are all tested", () => {
    const folders = readdirSync(join(ROOT, "examples"), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(EXAMPLES.map(([name]) => name));
  });

  for (const [name, tags, missing] of EXAMPLES) {
    it(`work: ${name}`, { tags: [...tags] }, async () => {
      const { ok, output } = await run(process.execPath, [join(import.meta.dirname, `${name}.ts`)]);
      expect({ ok, output }).toEqual({
        ok: true,
        output: expect.stringMatching(new RegExp(`^${name}: .+$`, "m")),
      });
    });

    if (missing === null) continue;
    it(`name a missing setting: ${name}`, async () => {
      // some require an argument too; servers ignore it
      const { ok, output } = await run(process.execPath, ["main.ts", "https://example.com/"], {
        cwd: folderOf(name),
        env: { SNAP_BASE_URL: "", SNAP_SECRET_KEY: "", SNAP_SIGNING_SECRET: "", SNAP_TOKEN_ID: "" },
      });
      expect(output).toMatch(/^Set SNAP_/);
      expect(output).toContain(missing);
      expect(output).not.toContain("    at ");
      expect(ok).toBe(false);
    });
  }
});
