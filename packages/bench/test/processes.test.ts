import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { memoryBytes, parseStat, readTree } from "../src/processes.ts";

it("adds the CPU time of exited children to the process's own", () => {
  const text =
    "4711 (node) S 99 4711 4711 0 -1 4194304 5000 600 7 8 150 50 30 20 20 0 11 0 1234567 1000000000 15000 18446744073709551615";
  expect(parseStat(text)).toEqual({ pid: 4711, parentPid: 99, cpuSeconds: 2.5 });
});

it("parses a process name with spaces and parentheses", () => {
  const text = "12 (a) S 1 (b c) R 7 12 12 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 5 0 0 0";
  expect(parseStat(text)).toEqual({ pid: 12, parentPid: 7, cpuSeconds: 1 });
});

// Only Linux has /proc.
it.skipIf(process.platform !== "linux")("finds a child of this process, and its memory", async () => {
  const child = spawn("cat", { stdio: ["pipe", "pipe", "ignore"] });
  // A process that has just started occupies a few pages; one that echoes its input has loaded its libraries.
  child.stdin.write("started");
  await once(child.stdout, "data");
  const tree = readTree(process.pid);
  expect(memoryBytes(child.pid ?? 0)).toBeGreaterThan(100_000);
  child.stdin.end();
  await once(child, "exit");
  expect(tree.map(({ pid }) => pid)).toEqual(expect.arrayContaining([process.pid, child.pid]));
  expect(readTree(child.pid ?? 0)).toEqual([]);
});
