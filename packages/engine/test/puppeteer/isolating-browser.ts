import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { findBrowser } from "../../src/puppeteer/browser/find-browser.ts";
import { required } from "./setup.ts";

/** Returns a browser that runs each site in a separate process, as some builds do by default. */
export async function isolatingBrowser(): Promise<string> {
  const dir = await temporaryDirectory();
  chmodSync(dir, 0o755);
  const path = join(dir, "browser");
  const browser = required(await findBrowser(), "browser");
  writeFileSync(path, `#!/bin/sh\nexec ${browser} --site-per-process "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}
