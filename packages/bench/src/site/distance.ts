import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "../processes.ts";
import type { Bench } from "../scenario.ts";
import type { DistanceAnnouncement } from "./serve-distance.ts";

export interface Distance {
  /** With a browser that trusts the pages' certificate, and the pages as allowed targets. */
  readonly bench: Bench;
  readonly originAt: (roundTripMs: number) => string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the host of the page at internet distance, and writes a command that starts the browser with our
 * certificate trusted: all ways, whatever arguments they pass, trust it alike.
 */
export async function startDistance(bench: Bench): Promise<Distance> {
  const { line, stop } = await startProgram(join(import.meta.dirname, "serve-distance.ts"));
  const { origins, keyHash } = JSON.parse(line) as DistanceAnnouncement;
  const folder = await mkdtemp(join(bench.scratch, "browser-"));
  const browserPath = join(folder, "trusting-browser");
  const command = `exec "${bench.browserPath}" "--ignore-certificate-errors-spki-list=${keyHash}" "$@"`;
  await writeFile(browserPath, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  // The service runs the browser under an unprivileged user, who must be able to read it.
  await Promise.all([bench.scratch, folder].map((each) => chmod(each, 0o755)));
  return {
    bench: { ...bench, browserPath, allowedTargets: "127.0.0.0/8" },
    originAt: (roundTripMs) => origins[roundTripMs] ?? "",
    stop,
  };
}
