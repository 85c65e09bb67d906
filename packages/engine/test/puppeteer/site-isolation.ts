import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { findBrowser } from "../../src/puppeteer/browser/find-browser.ts";
import { required } from "./setup.ts";

/** Returns the path of a program that starts the browser with site isolation, which some builds enable by default. */
export async function browserWithSiteIsolation(): Promise<string> {
  const dir = await createTemporaryDirectory();
  chmodSync(dir, 0o755);
  const path = join(dir, "browser");
  const browser = required(await findBrowser(), "browser");
  writeFileSync(path, `#!/bin/sh\nexec ${browser} --site-per-process "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}
