import { once } from "node:events";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ProcessGroup } from "../../src/puppeteer/browser/process-group.ts";
import { startSleeper, stateOf } from "./sleeper.ts";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Makes a function of `node:fs` fail for the paths that match. */
function breakReads(name: "readdirSync" | "readFileSync", code: string, path: RegExp): void {
  const original = fs[name] as (...parameters: unknown[]) => unknown;
  vi.spyOn(fs, name).mockImplementation(((...parameters: unknown[]) => {
    if (path.test(String(parameters[0]))) throw Object.assign(new Error(code), { code });
    return original(...parameters);
  }) as never);
  syncBuiltinESMExports();
}

/** The group of this process. */
function ownGroup(): ProcessGroup {
  const [, fields = ""] = fs.readFileSync("/proc/self/stat", "latin1").split(") ");
  return new ProcessGroup(Number(fields.split(" ")[2]));
}

function hasThisProcess(group: ProcessGroup): boolean {
  return group.read().some(({ pid }) => pid === process.pid);
}

// Only Linux has /proc.
describe.skipIf(!fs.existsSync("/proc/self/stat"))("ProcessGroup", () => {
  it.each(["readdirSync", "readFileSync"] as const)(
    "treats processes as running if no file descriptor is left to read them: %s",
    (name) => {
      const group = ownGroup();
      expect(hasThisProcess(group)).toBe(true);
      breakReads(name, "EMFILE", /^\/proc/);
      expect(hasThisProcess(group)).toBe(true);
    },
  );

  it("treats a process as exited if reading it fails with ESRCH", () => {
    const group = ownGroup();
    expect(hasThisProcess(group)).toBe(true);
    breakReads("readFileSync", "ESRCH", new RegExp(`^/proc/${process.pid}/stat`));
    expect(hasThisProcess(group)).toBe(false);
  });

  it("sends no signal to a process of another group", async () => {
    const [first, second] = [await startSleeper(), await startSleeper()];
    first.group.signal(second.pid, "SIGKILL");
    expect(stateOf(second.pid)).toBe("S");
    second.group.signal(second.pid, "SIGKILL");
    await once(second.child, "exit");
  });
});
