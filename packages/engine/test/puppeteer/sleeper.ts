import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, vi } from "vitest";
import { ProcessGroup } from "../../src/puppeteer/browser/process-group.ts";

export const SOON = { timeout: 30_000, interval: 1 };

interface Sleeper {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly group: ProcessGroup;
}

/**
 * Starts a process in a new group, and kills it when the test ends. It only sleeps, because a busy
 * process would slow the other tests.
 */
export async function startSleeper(): Promise<Sleeper> {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = child.pid ?? 0;
  await vi.waitFor(() => expect(stateOf(pid)).toBe("S"), SOON);
  return { child, pid, group: new ProcessGroup(pid) };
}

export function stateOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, "latin1").split(" ")[2] ?? "";
}
