import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DistanceAnnouncement } from "../programs/serve-distance.ts";
import type { Bench } from "../scenario.ts";
import { startProgram } from "../start-program.ts";
import type { RoundTripMs } from "./hosts.ts";

export interface Distance {
  /** With a browser that trusts the pages' certificate, and the pages as allowed targets. */
  readonly bench: Bench;
  readonly originAt: (roundTripMs: RoundTripMs) => string;
  readonly stop: () => Promise<void>;
}

/** Starts the host of the page at internet distance. */
export async function startDistance(bench: Bench): Promise<Distance> {
  const program = await startProgram(join(import.meta.dirname, "../programs/serve-distance.ts"));
  const { origins, keyHash } = JSON.parse(program.line) as DistanceAnnouncement;
  return {
    bench: {
      ...bench,
      browserPath: await writeTrustingBrowser(bench, keyHash),
      allowedTargets: "127.0.0.0/8",
    },
    originAt: (roundTripMs) => origins[roundTripMs] ?? "",
    stop: program.stop,
  };
}

/**
 * A command that starts the browser with our certificate trusted, so that all ways, whatever arguments they
 * pass, trust it alike. The service runs the browser under an unprivileged user, who must be able to read it.
 */
async function writeTrustingBrowser({ browserPath, scratch }: Bench, keyHash: string): Promise<string> {
  const folder = await mkdtemp(join(scratch, "browser-"));
  const path = join(folder, "trusting-browser");
  const command = `exec "${browserPath}" "--ignore-certificate-errors-spki-list=${keyHash}" "$@"`;
  await writeFile(path, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  await Promise.all([scratch, folder].map((each) => chmod(each, 0o755)));
  return path;
}
