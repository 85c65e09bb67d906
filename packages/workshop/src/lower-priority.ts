import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** The priority that the driver gives to the sessions of browsers. */
const NICE = 10;
const FILE = "/proc/self/autogroup";

let previous: string | undefined;

/**
 * Lowers the priority of the tests to that of the browsers that they start: Linux schedules a session as one group, and the
 * tests' own computations would starve the browsers. Without root it could not be restored, and stays as it is.
 */
export function setup(): void {
  if (process.getuid?.() !== 0) return;
  [, previous] = (existsSync(FILE) && /nice (-?\d+)/.exec(readFileSync(FILE, "latin1"))) || [];
  if (previous === undefined) {
    // the first process of the machine and its children belong to no group, and each has a priority of its own
    setPriority(NICE);
    return;
  }
  writeFileSync(FILE, String(NICE));
  // the session is that of the terminal, which goes on
  process.once("SIGTERM", () => {
    teardown();
    process.kill(process.pid, "SIGTERM");
  });
}

export function teardown(): void {
  if (previous !== undefined) writeFileSync(FILE, previous);
}
