import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../src/workspace.ts";

/** Installs the built client into a folder, like `npm install @snap/client`. */
export async function installClient(directory: string): Promise<void> {
  const scope = join(directory, "node_modules/@snap");
  await mkdir(scope, { recursive: true });
  await symlink(join(ROOT, "packages/client"), join(scope, "client"));
}
