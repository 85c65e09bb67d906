import { readPackages } from "../workspace.ts";

const HEAD = "%% Generated from the package.json files; `pnpm site reference` writes it anew.";

/** A page with its drawing of the published packages as the package.json files have them. */
export function withPackageDrawing(page: string): string {
  const drawn = page.replace(
    /^```mermaid\n%% Generated\b.*?^```$/ms,
    () => `\`\`\`mermaid\n${drawPackages()}\n\`\`\``,
  );
  if (!drawn.includes(HEAD)) throw new Error("the page has no drawing of the packages");
  return drawn;
}

/** Who imports whom, at run time or for types: an arrow points to what is imported. */
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
