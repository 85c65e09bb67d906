import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ProcessGroup } from "../../src/puppeteer/browser/process-group.ts";
import { Throttle } from "../../src/puppeteer/browser/throttle.ts";

const SOON = { timeout: 10_000, interval: 1 };

interface Sleeper {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly group: ProcessGroup;
}

/**
 * Starts a process in a new group, which lasts until the test has finished. It sleeps: a busy one in a session of its
 * own would take the CPU from the other tests.
 */
async function startSleeper(): Promise<Sleeper> {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  await vi.waitFor(() => expect(stateOf(pid)).toBe("S"), SOON);
  return { child, pid, group: new ProcessGroup(pid) };
}

function stateOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, "latin1").split(" ")[2] ?? "";
}

// Only Linux has /proc, without which nothing is throttled.
describe.skipIf(!existsSync("/proc/self/stat"))("Throttle", () => {
  it("stops and resumes a process repeatedly until it is released", async () => {
    const { pid, group } = await startSleeper();
    const throttle = new Throttle();
    throttle.set([{ group, pid, runFraction: 0.5 }]);
    for (const state of ["T", "S", "T", "S"]) await vi.waitFor(() => expect(stateOf(pid)).toBe(state), SOON);
    throttle.release();
    expect(stateOf(pid)).not.toBe("T");
  });

  it("resumes processes that are no longer listed", async () => {
    const [first, second] = [await startSleeper(), await startSleeper()];
    const throttle = new Throttle();
    throttle.set([{ ...first, runFraction: 0.5 }]);
    await vi.waitFor(() => expect(stateOf(first.pid)).toBe("T"), SOON);
    throttle.set([{ ...second, runFraction: 0.5 }]);
    expect(stateOf(first.pid)).not.toBe("T");
    await vi.waitFor(() => expect(stateOf(second.pid)).toBe("T"), SOON);
    throttle.release();
  });

  it("sends no signal to a process of another group", async () => {
    const [first, second] = [await startSleeper(), await startSleeper()];
    first.group.signal(second.pid, "SIGKILL");
    expect(stateOf(second.pid)).toBe("S");
    second.group.signal(second.pid, "SIGKILL");
    await once(second.child, "exit");
  });
});
