import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT } from "../repository/workspace.ts";
import { drawMachines } from "./drawings/machines.ts";
import { drawPackages } from "./drawings/packages.ts";
import { drawRequest } from "./drawings/request.ts";
import { parameterTypes } from "./parameter-types.ts";
import { REFERENCE_PAGES, writePage } from "./reference/pages.ts";

/** A file that is made from the code. */
export interface GeneratedFile {
  /** Below the root. */
  readonly path: string;
  readonly text: string;
}

/** All of them. What they are made from is imported as built: build first. */
export async function generateFiles(): Promise<GeneratedFile[]> {
  const pages = await Promise.all(
    REFERENCE_PAGES.map(async (page) => ({
      path: `docs/reference/${page.file}`,
      text: await writePage(page),
    })),
  );
  return [
    ...pages,
    { path: "packages/protocol/src/parameters/values.ts", text: await parameterTypes() },
    { path: "docs/images/machines.svg", text: drawMachines() },
    { path: "docs/images/packages.svg", text: drawPackages() },
    { path: "docs/images/request.svg", text: drawRequest() },
  ];
}

export async function writeFiles(files: readonly GeneratedFile[], root: string = ROOT): Promise<void> {
  for (const { path, text } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** Files that are not, byte for byte, what the code says. */
export async function findStaleFiles(
  files: readonly GeneratedFile[],
  root: string = ROOT,
): Promise<string[]> {
  const faults = await Promise.all(
    files.map(async ({ path, text }) => {
      const kept = await readFile(join(root, path), "utf8").catch(() => null);
      return kept === text ? [] : [`${path}: not what the code says; \`pnpm site reference\` writes it anew`];
    }),
  );
  return faults.flat();
}
