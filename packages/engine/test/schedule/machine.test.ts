import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSystemMachine, findCpuStatFile, idleBetween, type CpuTimes } from "../../src/ports/machine.ts";

const before: CpuTimes = { atMs: 0, cores: 4, idleMs: 0, totalMs: 0, groupMs: null };
/** Times 100 ms later, on four cores. */
const after = (idleMs: number, groupMs: number | null = null): CpuTimes => ({
  ...before,
  atMs: 100,
  idleMs,
  totalMs: 400,
  groupMs,
});

describe("idleBetween", () => {
  it.each([
    ["all of them", after(400), 4, 4],
    ["three of four", after(300), 4, 3],
    ["none", after(0), 4, 0],
    ["no more than the process is allowed to use", after(400), 2, 2],
  ])("returns the idle cores: %s", (_case, now, allowed, idle) => {
    expect(idleBetween(before, now, allowed)).toBe(idle);
  });

  it.each([
    ["its unused share, on an idle machine", after(300, 150), 2, 0.5],
    ["none if it has used its share", after(200, 230), 2, 0],
    ["those of the machine if other containers use the rest", after(40, 10), 2, 0.4],
  ])("returns the idle cores of a container: %s", (_case, now, allowed, idle) => {
    expect(idleBetween({ ...before, groupMs: 0 }, now, allowed)).toBeCloseTo(idle);
  });

  it("returns 0 if no time has passed", () => {
    expect(idleBetween(before, before, 4)).toBe(0);
  });
});

describe("findCpuStatFile", () => {
  const ROOT = "sys/fs/cgroup/cpu.stat";
  const SERVICE = "sys/fs/cgroup/system.slice/snap-server.service/cpu.stat";

  it.each([
    ["a service", "1:cpu:/other\n0::/system.slice/snap-server.service\n", [ROOT, SERVICE], SERVICE],
    ["a container, which sees its group as the root", "0::/\n", [ROOT], ROOT],
    ["a container whose group path does not exist", "0::/system.slice/docker-0f1e.scope\n", [ROOT], ROOT],
  ])("finds the file of %s", async (_case, groups, files, expected) => {
    const root = await mkdtemp(join(tmpdir(), "machine-"));
    onTestFinished(() => rm(root, { recursive: true }));
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    };
    await write("proc/self/cgroup", groups);
    for (const file of files) await write(file, "usage_usec 0\n");
    expect(findCpuStatFile(root)).toBe(join(root, expected));
  });
});

describe("createSystemMachine", () => {
  it("reports available memory and idle cores", () => {
    const machine = createSystemMachine();
    expect(machine.availableMemoryBytes()).toBeGreaterThan(1e6);
    expect(machine.idleCores()).toBeGreaterThanOrEqual(0);
  });
});
