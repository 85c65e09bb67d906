import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT, type WorkspacePackage } from "./workspace.ts";

const SHARED_INPUTS = ["pnpm-lock.yaml", "tsconfig.base.json", "packages/workshop/src/tsup-options.ts"];

/**
 * A digest of all that decides what a package's build looks like: its sources and settings, the
 * workspace's lockfile, and the digests of the packages that it is built on.
 *
 * @returns SHA-256 in hex.
 */
export function hashInputs({ folder }: WorkspacePackage, builtOn: readonly string[]): string {
  const hash = createHash("sha256");
  const files = [
    ...SHARED_INPUTS.map((name) => join(ROOT, name)),
    ...["package.json", "tsconfig.json", "tsup.config.ts"].map((name) => join(folder, name)),
    ...listFiles(join(folder, "src")),
  ];
  for (const file of files) {
    const bytes = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${bytes.length}\0`).update(bytes);
  }
  for (const digest of builtOn) hash.update(digest);
  return hash.digest("hex");
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
