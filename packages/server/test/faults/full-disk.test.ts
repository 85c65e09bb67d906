import { createEngine, type Engine, type Renderer } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeResolver } from "@snap/testing";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { mountSmallDisk } from "../../../testing/test/servers/small-disk.ts";
import { until } from "../cli/command.ts";
import { serveEngine } from "../http/serve-engine.ts";

const LOG_LINES_SCRIPT = fileURLToPath(new URL("log-lines.ts", import.meta.url));
const MEBIBYTE = 1024 * 1024;

/** Renders `/large…` as 4 MiB, and other pages as 20 kB, different each time. */
const renderer: Renderer = {
  render: async ({ url }) => ({
    bytes: new Uint8Array(randomBytes(url.includes("/large") ? 4 * MEBIBYTE : 20_000)),
    contentType: "image/png",
    targetStatus: 200,
    notes: [],
  }),
  health: async () => ({ ready: true, reason: null }),
  close: async () => {},
};

interface Caller {
  /** Returns the status and the `X-Cache` header of a capture. */
  capture(path: string): Promise<string>;
  usedCredits(): Promise<number>;
}

async function newCaller(engine: Engine, origin: string): Promise<Caller> {
  const account = await engine.accounts.create({
    email: `${crypto.randomUUID()}@example.com`,
    creditsPerPeriod: 100_000,
    requestsPerMinute: 10_000,
    planSlug: "starter",
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  return {
    async capture(path) {
      const response = await fetch(`${origin}/v1/snap?url=https://example.com${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await response.arrayBuffer();
      return `${response.status} ${response.headers.get("x-cache")}`;
    },
    usedCredits: async () => (await engine.credits(account)).used,
  };
}

describe("a full disk", { tags: ["mount"] }, () => {
  it("does not make requests fail, and caching resumes once there is space", async () => {
    const disk = await mountSmallDisk({ mebibytes: 64 });
    const engine = createEngine({
      storage: await openSqliteStorage({
        directory: disk.directory,
        cacheMaxBytes: 1024 * MEBIBYTE,
        diskReserveBytes: 4 * MEBIBYTE,
      }),
      renderer,
      resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
      secretKey: "a key for these tests",
      // every cache hit is read from the disk
      memoryCacheBytes: 0,
    });
    onTestFinished(() => engine.close());
    const service = await serveEngine(engine);
    onTestFinished(() => service.stop());
    const readyStatus = async (): Promise<number> => (await fetch(`${service.origin}/readyz`)).status;
    expect(await readyStatus()).toBe(200);
    const [greedy, neighbor] = [
      await newCaller(engine, service.origin),
      await newCaller(engine, service.origin),
    ];

    // one account fills the disk
    expect(await neighbor.capture("/mine")).toBe("200 MISS");
    for (let index = 0; index < 15; index += 1)
      expect(await greedy.capture(`/large-${index}`)).toBe("200 MISS");
    expect(await neighbor.capture("/mine")).toBe("200 HIT");
    expect(await greedy.capture("/large-14")).toBe("200 HIT");
    expect(await greedy.capture("/large-0")).toBe("200 MISS");

    // another program takes the rest, to the last byte: the greedy account's renderings are evicted
    disk.fill();
    for (const expected of ["200 MISS", "200 HIT"]) expect(await neighbor.capture("/full")).toBe(expected);
    expect(await neighbor.capture("/mine")).toBe("200 HIT");

    // the program also takes that space, until nothing is left to evict
    for (let round = 0; round < 20; round += 1) {
      disk.fill();
      expect(await neighbor.capture(`/round-${round}`)).toBe("200 MISS");
    }
    for (let index = 0; index < 30; index += 1)
      expect(await neighbor.capture(`/page-${index % 10}`)).toBe("200 MISS");
    expect(await greedy.capture("/large")).toBe("200 MISS");
    expect(await readyStatus()).toBe(200);

    await disk.clear();
    for (const expected of ["200 MISS", "200 HIT"])
      expect(await neighbor.capture("/recovered")).toBe(expected);
    expect(await readyStatus()).toBe(200);
    expect([await greedy.usedCredits(), await neighbor.usedCredits()]).toEqual([17, 53]);
  });

  it("does not crash a process that logs to it, and logging resumes once there is space", async () => {
    const disk = await mountSmallDisk({ mebibytes: 1 });
    const path = join(disk.directory, "log");
    const file = openSync(path, "a");
    disk.fill();
    const child = spawn(process.execPath, [LOG_LINES_SCRIPT], { stdio: ["ignore", file, "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    closeSync(file);
    const ended = once(child, "close");
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));

    // after 20 lines, the first writes have failed
    await until(
      async () => stderr,
      (dots) => dots.length >= 20 || child.exitCode !== null,
    );
    expect(stderr).toMatch(/^\.+$/);
    expect(await readFile(path, "utf8")).toBe("");

    await disk.clear();
    await until(
      () => readFile(path, "utf8"),
      (text) => text.includes("still running"),
    );
    disk.fill();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});

it("a log that reaches the file size limit does not crash the process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "snap-log-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "log");
  const command = `ulimit -f 1; exec "$0" "$1" > "$2"`;
  const child = spawn("sh", ["-c", command, process.execPath, LOG_LINES_SCRIPT, path], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await until(
    async () => stderr,
    (dots) => dots.length >= 40 || child.exitCode !== null,
  );
  expect(stderr).toMatch(/^\.+$/);
  expect((await readFile(path)).byteLength).toBeLessThanOrEqual(1024);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
