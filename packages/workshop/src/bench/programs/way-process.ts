import { startBrowserless } from "../ways/browserless.ts";
import { startCaptureWebsite } from "../ways/capture-website.ts";
import { startCluster } from "../ways/cluster.ts";
import { startEngine } from "../ways/engine.ts";
import { startLaunchPerRequest } from "../ways/launch-per-request.ts";
import { startPuppeteer } from "../ways/puppeteer.ts";
import { startRaw, startRawFast } from "../ways/raw.ts";
import type { ProgramOptions, RenderJob, StartProgram } from "../ways/way.ts";

/*
 * One way of rendering in a process of its own. The parent names it in the first argument and its options,
 * as JSON, in the second; it sends jobs and is answered the size of each file, which stays here.
 */

const PROGRAMS: Readonly<Record<string, StartProgram>> = {
  raw: startRaw,
  "raw-fast": startRawFast,
  puppeteer: startPuppeteer,
  "launch-per-request": startLaunchPerRequest,
  cluster: startCluster,
  "capture-website": startCaptureWebsite,
  browserless: startBrowserless,
  engine: startEngine,
};

const [name = "", options = "{}"] = process.argv.slice(2);
const start = PROGRAMS[name];
if (start === undefined) throw new Error(`no way is called ${name}`);
const program = await start(JSON.parse(options) as ProgramOptions);

async function answer({ id, job }: { id: number; job: RenderJob }): Promise<void> {
  try {
    const { byteLength } = await program.render(job);
    process.send?.({ id, byteLength });
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

process.on("message", (message: { id: number; job: RenderJob } | "close") => {
  if (message === "close") void program.close().then(() => process.disconnect());
  else void answer(message);
});
// The parent has gone, or is done; nothing of this is to stay.
process.once("disconnect", () => process.exit());
process.send?.({ ready: true });
