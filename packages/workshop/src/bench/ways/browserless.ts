import { mkdir, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../servers/free-port.ts";
import { peerUrl } from "./peers.ts";
import { QUALITY, VIEWPORT, type RenderJob, type StartProgram } from "./way.ts";

/** What this file uses of browserless, which is installed on demand. */
interface BrowserlessModule {
  readonly Config: new () => BrowserlessConfig;
  readonly Browserless: new (parts: { config: BrowserlessConfig }) => {
    start(): Promise<void>;
    stop(): Promise<unknown>;
  };
}
type BrowserlessConfig = Record<"setPort" | "setQueued" | "setTimeout", (value: number) => unknown> &
  Record<"setRoutes", (path: string) => unknown>;

const QUEUE_LENGTH = 100;
const TIMEOUT_MS = 120_000;

/** browserless, asked over HTTP: it starts a browser for each request, without a sandbox. */
export const startBrowserless: StartProgram = async ({ browserPath, folder }) => {
  const entry = peerUrl("@browserless.io/browserless");
  await offerBrowser(entry, browserPath, folder);
  const build = dirname(fileURLToPath(entry));
  // Only the Chromium routes: the others expect node_modules in npm's layout, or further browsers.
  const routes = join(folder, "routes");
  await mkdir(routes);
  await symlink(join(build, "routes/chromium"), join(routes, "chromium"));
  // It reads its package.json from the working directory.
  process.chdir(dirname(build));
  process.env["DEBUG"] = "-*";
  process.env["DATA_DIR"] = folder;
  process.env["DOWNLOAD_DIR"] = folder;
  const { Browserless, Config } = (await import(entry)) as BrowserlessModule;
  const config = new Config();
  const port = await findFreePort();
  config.setPort(port);
  config.setQueued(QUEUE_LENGTH);
  config.setTimeout(TIMEOUT_MS);
  config.setRoutes(routes);
  const server = new Browserless({ config });
  await server.start();
  return {
    render: (job) => render(`http://localhost:${port}`, job),
    async close() {
      await server.stop();
    },
  };
};

/** It looks for the browser where Playwright would have downloaded one. */
async function offerBrowser(entry: string, browserPath: string, folder: string): Promise<void> {
  process.env["PLAYWRIGHT_BROWSERS_PATH"] = join(folder, "browsers");
  const playwright = createRequire(entry)("playwright-core") as {
    readonly chromium: { executablePath(): string };
  };
  const expected = playwright.chromium.executablePath();
  await mkdir(dirname(expected), { recursive: true });
  await symlink(browserPath, expected);
}

async function render(origin: string, job: RenderJob): Promise<Uint8Array> {
  const { url, format, fullPage, waitUntil } = job;
  const isPdf = format === "pdf";
  const response = await fetch(`${origin}/${isPdf ? "pdf" : "screenshot"}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      url,
      viewport: VIEWPORT,
      gotoOptions: { waitUntil: waitUntil === "default" ? "networkidle2" : waitUntil },
      options: isPdf
        ? { printBackground: true }
        : { type: format, fullPage, ...(format === "png" ? {} : { quality: QUALITY }) },
    }),
  });
  if (!response.ok) throw new Error(`browserless: ${response.status} ${await response.text()}`);
  return response.bytes();
}
