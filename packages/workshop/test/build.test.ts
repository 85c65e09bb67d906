import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findChanged } from "../src/build.ts";
import type { WorkspacePackage } from "../src/workspace.ts";

/** Creates a package with one source file. The times are in seconds. */
function createPackage(
  name: string,
  { changedAt, builtAt }: { readonly changedAt: number; readonly builtAt: number },
  dependencies: Readonly<Record<string, string>> = {},
): WorkspacePackage {
  const folder = mkdtempSync(join(tmpdir(), "snap-build-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, time] of [
    ["src/index.ts", changedAt],
    ["dist/index.d.ts", builtAt],
  ] as const) {
    const file = join(folder, path);
    mkdirSync(dirname(file));
    writeFileSync(file, "");
    // A folder counts too: its time changes when a file is deleted.
    for (const changed of [file, dirname(file)]) utimesSync(changed, time, time);
  }
  return { name, folder, manifest: { name, version: "1.0.0", scripts: { build: "tsup" }, dependencies } };
}

describe("findChanged", () => {
  const namesOf = (changed: readonly WorkspacePackage[]): string[] => changed.map(({ name }) => name);

  it("finds packages that are older than their sources or their dependencies' builds", () => {
    const packages = [
      createPackage("new", { changedAt: 1, builtAt: 5 }),
      createPackage("changed", { changedAt: 6, builtAt: 5 }),
      createPackage("dependent", { changedAt: 1, builtAt: 4 }, { new: "workspace:^", elsewhere: "^1.0.0" }),
      createPackage("built last", { changedAt: 1, builtAt: 5 }, { new: "workspace:^" }),
    ];
    expect(namesOf(findChanged(packages, 0))).toEqual(["changed", "dependent"]);
  });

  it("finds packages that are older than the inputs that all packages share", () => {
    const packages = [
      createPackage("old", { changedAt: 1, builtAt: 5 }),
      createPackage("new", { changedAt: 1, builtAt: 8 }),
    ];
    expect(namesOf(findChanged(packages, 7000))).toEqual(["old"]);
  });
});
