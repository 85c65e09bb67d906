import type * as engine from "@snap/engine/puppeteer";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../workspace.ts";

/**
 * The browser that the service would use: the one that SNAP_CHROMIUM_PATH names, otherwise the one that
 * the engine finds; `null` where there is none. The engine must have been built.
 */
export async function findBrowser(): Promise<string | null> {
  const chosen = process.env["SNAP_CHROMIUM_PATH"];
  if (chosen !== undefined && chosen !== "") return existsSync(chosen) ? chosen : null;
  // As a path, so that vitest's settings can be read before anything is built.
  const built = join(ROOT, "packages/engine/dist/puppeteer/index.js");
  return ((await import(built)) as typeof engine).findBrowser();
}
