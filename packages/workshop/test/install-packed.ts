import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../src/machine/run.ts";
import { packPackages } from "../src/pack-packages.ts";
import { readPackages } from "../src/workspace.ts";

/** Installs packages that need no others from the registry, as a user does. */
export async function installWithNpm(project: string, names: readonly string[]): Promise<void> {
  const packed = await packPackages(names, join(project, "archives"));
  await writeFile(join(project, "package.json"), `{ "private": true }`);
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
  const { ok, output } = await run("npm", ["install", ...flags, ...packed.map(({ filename }) => filename)], {
    cwd: project,
  });
  if (!ok) throw new Error(output);
}

/**
 * Installs all packages without the registry: unpacks the archives, and links the third-party
 * dependencies of each package, except `without`, to those installed in the workspace. An
 * undeclared import of a third-party package fails, as with pnpm.
 */
export async function installWithLinks(
  project: string,
  without: readonly string[],
): ReturnType<typeof packPackages> {
  const packed = await packPackages([], join(project, "archives"));
  for (const { name, filename } of packed) {
    const folder = readPackages().find((part) => part.name === name)?.folder ?? "";
    const installed = join(project, "node_modules", name);
    await mkdir(installed, { recursive: true });
    const { ok, output } = await run("tar", ["-xzf", filename, "-C", installed, "--strip-components=1"]);
    if (!ok) throw new Error(output);
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as {
      readonly dependencies?: Readonly<Record<string, string>>;
      readonly peerDependencies?: Readonly<Record<string, string>>;
    };
    for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
      if (!dependency.startsWith("@snap/") && !without.includes(dependency))
        await link(folder, installed, dependency);
  }
  return packed;
}

async function link(from: string, to: string, dependency: string): Promise<void> {
  const path = join(to, "node_modules", dependency);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(from, "node_modules", dependency), path);
}
