import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startProgram } from "../processes.ts";
import type { Bench } from "../scenario.ts";
import type { LatencyAnnouncement } from "./serve-latency.ts";

export interface RemoteSite {
  /** Its browser trusts the pages' certificate, and its allowed targets include their addresses. */
  readonly bench: Bench;
  readonly originAt: (roundTripMs: number) => string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the server of the page with internet latency, and writes a script that starts the browser with the
 * server's certificate trusted, however the tool under test launches it.
 */
export async function startRemoteSite(bench: Bench, roundTripsMs: readonly number[]): Promise<RemoteSite> {
  const program = join(import.meta.dirname, "serve-latency.ts");
  const { line, stop } = await startProgram(program, roundTripsMs.map(String));
  const { origins, keyHash } = JSON.parse(line) as LatencyAnnouncement;
  const folder = await mkdtemp(join(bench.scratch, "browser-"));
  const browserPath = join(folder, "trusting-browser");
  const command = `exec "${bench.browserPath}" "--ignore-certificate-errors-spki-list=${keyHash}" "$@"`;
  await writeFile(browserPath, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  // The service runs the browser as an unprivileged user, which must be able to read the script.
  await Promise.all([bench.scratch, folder].map((path) => chmod(path, 0o755)));
  return {
    bench: { ...bench, browserPath, allowedTargets: "127.0.0.0/8" },
    originAt: (roundTripMs) => origins[roundTripMs] ?? "",
    stop,
  };
}
