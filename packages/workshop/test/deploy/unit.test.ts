// @module-tag systemd
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

describe("snap-server.service", () => {
  let folder: string;
  let file: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "snap-unit-"));
    file = join(folder, "snap-server.service");
    const unit = readFileSync(join(ROOT, "packages/server/deploy/snap-server.service"), "utf8");
    // The test machine might not have /usr/bin/node.
    await writeFile(file, unit.replace("/usr/bin/node", process.execPath));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("passes systemd-analyze verify", async () => {
    const args = ["verify", "--man=no", "--recursive-errors=no", file];
    expect(await run("systemd-analyze", args)).toEqual({ ok: true, output: "" });
  });

  it("restarts after every failure except a mistake in the configuration, exit code 2", () => {
    const settings = readFileSync(file, "utf8").split("\n");
    expect(settings).toContain("Restart=on-failure");
    expect(settings).toContain("RestartPreventExitStatus=2");
  });

  it("has an exposure level of at most 3 out of 10", async () => {
    const args = ["security", "--offline=yes", "--threshold=30", file];
    const { ok, output } = await run("systemd-analyze", args);
    expect({ ok, output }).toEqual({ ok: true, output: expect.stringContaining("Overall exposure level") });
  });
});
