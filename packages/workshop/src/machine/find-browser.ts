import type * as engine from "@snap/engine/puppeteer";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../workspace.ts";

/**
 * Returns the path to the browser that the service uses: SNAP_CHROMIUM_PATH if it is set, otherwise the one that the
 * engine finds. Returns `null` if there is none. Unless the variable is set, the engine must already be built.
 */
export async function findBrowser(): Promise<string | null> {
  const configuredPath = process.env["SNAP_CHROMIUM_PATH"];
  if (configuredPath !== undefined && configuredPath !== "")
    return existsSync(configuredPath) ? configuredPath : null;
  // Imported by path, so vitest can load its configuration before the build.
  const built = join(ROOT, "packages/engine/dist/puppeteer/index.js");
  return ((await import(built)) as typeof engine).findBrowser();
}
