import { mkdirSync } from "node:fs";
import { runPnpm } from "./machine/run.ts";
import { readPackages } from "./workspace.ts";

export interface PackedPackage {
  readonly name: string;
  /** Absolute path of the archive. */
  readonly filename: string;
}

/**
 * Packs built packages for publication: all public ones, or those with these names and the packages of the workspace
 * that they need at run time.
 *
 * @param names Names with or without the scope: `@snap/client` or `client`.
 * @param destination A folder; created if it does not exist.
 * @throws Error if a name is unknown or the package is private, or if `pnpm pack` fails, with its
 * output.
 */
export async function packPackages(
  names: readonly string[],
  destination: string,
): Promise<readonly PackedPackage[]> {
  const publicNames = readPackages().flatMap(({ name, manifest }) =>
    manifest.private === true ? [] : [name],
  );
  const unknown = names.find((name) => !publicNames.includes(name) && !publicNames.includes(`@snap/${name}`));
  if (unknown !== undefined)
    throw new Error(`No package to publish: ${unknown}. Use ${publicNames.join(", ")}.`);
  mkdirSync(destination, { recursive: true });
  // Not `--filter`, which follows devDependencies: a package's tests use packages that its users do not need.
  const filters = (names.length === 0 ? publicNames : names).flatMap((name) => [
    "--filter-prod",
    `${name}...`,
  ]);
  const { ok, output } = await runPnpm([...filters, "pack", "--json", "--pack-destination", destination]);
  if (!ok) throw new Error(`Cannot pack the packages:\n${output}`);
  // One package is an object, and several are an array.
  const [json = ""] = /^[{[].*^[\]}]$/ms.exec(output) ?? [];
  return [JSON.parse(json) as PackedPackage | readonly PackedPackage[]].flat();
}
