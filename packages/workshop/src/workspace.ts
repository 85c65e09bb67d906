import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The root folder of the repository. */
export const ROOT = join(import.meta.dirname, "../../..");

/** Holds disposable files: reports, packed packages. */
export const CACHE = join(ROOT, ".cache");

/** The packages in `packages/` and `examples/`, sorted by folder. */
export function readPackages(): WorkspacePackage[] {
  return globSync("{packages,examples}/*/package.json", { cwd: ROOT })
    .toSorted()
    .map((path) => {
      const folder = join(ROOT, dirname(path));
      const manifest = readManifest(folder);
      return { name: manifest.name, folder, manifest };
    });
}

/** The package.json of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
