import type * as engine from "@snap/engine/puppeteer";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../workspace.ts";

/**
 * Finds the browser that the service uses: that of SNAP_CHROMIUM_PATH if it is set, otherwise the one that
 * the engine finds. Returns `null` if there is none. Needs a built engine.
 */
export async function findBrowser(): Promise<string | null> {
  const chosen = process.env["SNAP_CHROMIUM_PATH"];
  if (chosen !== undefined && chosen !== "") return existsSync(chosen) ? chosen : null;
  // Imported by path, so that vitest can load its configuration before the build.
  const built = join(ROOT, "packages/engine/dist/puppeteer/index.js");
  return ((await import(built)) as typeof engine).findBrowser();
}
