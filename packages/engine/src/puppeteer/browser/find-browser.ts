import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { executablePath } from "puppeteer";
import { runsAsRoot } from "./unprivileged-user.ts";

/** headless-shell first: it takes about half the CPU, and it never calls home (egress.md). */
const COMMANDS = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];

/** What Debian's wrapper script starts; starting it ourselves spares a shell. */
const PLACES_FIRST = ["/usr/lib/chromium/chromium-headless-shell"];
const PLACES_LAST = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const OTHERS_MAY_ENTER = 0o001;

/**
 * The path of a browser to render with: puppeteer's own where it is installed, otherwise the
 * system's. `null` where there is none.
 *
 * @example
 * const path = await findBrowser();
 * if (path === null) console.error("apt-get install chromium-headless-shell");
 */
export async function findBrowser(): Promise<string | null> {
  const ofThePath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const commands = COMMANDS.flatMap((command) => ofThePath.map((folder) => join(folder, command)));
  const candidates = [...(await puppeteersOwn()), ...PLACES_FIRST, ...commands, ...PLACES_LAST];
  return candidates.find(canBeStarted) ?? null;
}

async function puppeteersOwn(): Promise<string[]> {
  const shell = executablePath({ headless: "shell" });
  const chrome = executablePath();
  // both reject where nothing was downloaded
  const found = await Promise.allSettled([shell, chrome]);
  return found.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

function canBeStarted(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return !runsAsRoot() || isOpenToEveryone(path);
  } catch {
    return false;
  }
}

/** Root starts the browser under an unprivileged user, who can't look into root's home. */
function isOpenToEveryone(path: string): boolean {
  if ((statSync(path).mode & OTHERS_MAY_ENTER) === 0) return false;
  return dirname(path) === path || isOpenToEveryone(dirname(path));
}
