import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** The priority that the renderer gives to browsers' sessions. */
const NICE = 10;
const FILE = "/proc/self/autogroup";

let previous: string | undefined;

/**
 * Lowers the tests' priority to that of their browsers: Linux schedules a session as one group, and the tests' own
 * computations would starve the browsers.
 */
export function setup(): void {
  [, previous] = (existsSync(FILE) && /nice (-?\d+)/.exec(readFileSync(FILE, "latin1"))) || [];
  if (previous === undefined) {
    // without groups, each process has a separate priority, which its children inherit
    setPriority(NICE);
    return;
  }
  writeFileSync(FILE, String(NICE));
  // the session belongs to the terminal, which outlives this process
  process.once("SIGTERM", () => {
    teardown();
    process.kill(process.pid, "SIGTERM");
  });
}

export function teardown(): void {
  if (previous !== undefined) writeFileSync(FILE, previous);
}
