import { readPackages } from "../workspace.ts";

const HEAD = "%% Generated from the package.json files by `pnpm site reference`.";

/** Returns a page with its diagram of the published packages regenerated from the package.json files. */
export function withPackageDiagram(page: string): string {
  const drawn = page.replace(
    /^```mermaid\n%% Generated\b.*?^```$/ms,
    () => `\`\`\`mermaid\n${drawPackages()}\n\`\`\``,
  );
  if (!drawn.includes(HEAD)) throw new Error("the page has no diagram of the packages");
  return drawn;
}

/** An arrow points from a package to each package that it imports, at run time or for types. */
function drawPackages(): string {
  const packages = readPackages().filter(({ manifest }) => manifest.private !== true);
  const idOf = (name: string): string => name.replace("@snap/", "");
  const arrows = packages.flatMap(({ name, manifest: { dependencies, peerDependencies } }) =>
    Object.keys({ ...dependencies, ...peerDependencies })
      .filter((needed) => packages.some((part) => part.name === needed))
      .map((needed) => `  ${idOf(name)} --> ${idOf(needed)}`),
  );
  const boxes = packages.map(({ name }) => `  ${idOf(name)}["${name}"]`);
  return [HEAD, "flowchart TD", ...boxes, ...arrows].join("\n");
}
