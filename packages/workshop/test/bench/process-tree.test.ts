import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { memoryBytes, parsePss, parseStat, readTree, selectTree } from "../../src/bench/process-tree.ts";

const numbered = (pid: number, parentPid: number) => ({ pid, parentPid, cpuSeconds: 1 });

describe("parseStat", () => {
  it("adds up its own processor time and that of children it has waited for", () => {
    const text =
      "4711 (node) S 99 4711 4711 0 -1 4194304 5000 600 7 8 150 50 30 20 20 0 11 0 1234567 1000000000 15000 18446744073709551615";
    expect(parseStat(text)).toEqual({ pid: 4711, parentPid: 99, cpuSeconds: 2.5 });
  });

  it("reads on behind a name with spaces and parentheses", () => {
    const text = "12 (a) S 1 (b c) R 7 12 12 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 5 0 0 0";
    expect(parseStat(text)).toEqual({ pid: 12, parentPid: 7, cpuSeconds: 1 });
  });
});

describe("selectTree", () => {
  it("takes a process with all that descend from it", () => {
    const all = [numbered(1, 0), numbered(10, 1), numbered(11, 10), numbered(12, 11), numbered(20, 1)];
    expect(selectTree(all, 10).map(({ pid }) => pid)).toEqual([10, 11, 12]);
  });

  it("is empty once the process is gone", () => {
    expect(selectTree([numbered(1, 0)], 10)).toEqual([]);
  });
});

describe("parsePss", () => {
  it("reads kilobytes", () => {
    expect(
      parsePss("00400000-7fff r--p 0 00:00 0 [rollup]\nRss:  2048 kB\nPss:  1500 kB\nPss_Anon: 3 kB\n"),
    ).toBe(1_536_000);
  });

  it("knows when it is told nothing", () => {
    expect(parsePss("")).toBeNull();
  });
});

// Read from /proc, which only Linux has.
describe.skipIf(process.platform !== "linux")("readTree", () => {
  it("finds a child of this process, and memory that it uses", async () => {
    const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    await once(child, "spawn");
    const tree = readTree(process.pid);
    child.stdin.end();
    await once(child, "exit");
    expect(tree.map(({ pid }) => pid)).toEqual(expect.arrayContaining([process.pid, child.pid]));
    expect(memoryBytes(tree)).toBeGreaterThan(1_000_000);
  });
});
