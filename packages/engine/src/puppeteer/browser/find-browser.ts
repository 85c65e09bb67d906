import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { executablePath } from "puppeteer";
import { runsAsRoot } from "./unprivileged-user.ts";

/** headless-shell first: it uses about half the CPU time and makes almost no requests on its own. */
const COMMANDS = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];

/** The binary behind Debian's wrapper script; starting it directly saves a shell. */
const PREFERRED_PATHS = ["/usr/lib/chromium/chromium-headless-shell"];
const FALLBACK_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const EXECUTABLE_BY_OTHERS = 0o001;

/**
 * Returns the path to a browser to render with: Puppeteer's if it was downloaded, otherwise the system's;
 * `null` if none is installed. As root, only one that other users can execute.
 *
 * @example
 * const path = await findBrowser();
 * if (path === null) console.error("apt-get install chromium-headless-shell");
 */
export async function findBrowser(): Promise<string | null> {
  const pathFolders = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => resolve(folder)); // the browser runs in another working directory
  const commands = COMMANDS.flatMap((command) => pathFolders.map((folder) => join(folder, command)));
  const candidates = [...(await puppeteerBrowsers()), ...PREFERRED_PATHS, ...commands, ...FALLBACK_PATHS];
  return candidates.find(isExecutable) ?? null;
}

async function puppeteerBrowsers(): Promise<string[]> {
  const shell = executablePath({ headless: "shell" });
  const chrome = executablePath();
  // Puppeteer does not check whether the file exists
  const paths = await Promise.allSettled([shell, chrome]);
  return paths.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    if (!statSync(path).isFile()) return false;
    return !runsAsRoot() || [path, realpathSync(path)].every(isWorldAccessible);
  } catch {
    return false;
  }
}

/** Root starts the browser as an unprivileged user, which cannot read root's home directory. */
function isWorldAccessible(path: string): boolean {
  if ((statSync(path).mode & EXECUTABLE_BY_OTHERS) === 0) return false;
  return dirname(path) === path || isWorldAccessible(dirname(path));
}
