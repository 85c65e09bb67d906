import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRedis } from "./redis.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the response to a command. */
async function send(url: string, line: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = createConnection(Number(port), hostname);
  try {
    socket.write(`${line}\r\n`);
    const [reply] = (await once(socket, "data")) as [Buffer];
    return reply.toString().trim();
  } finally {
    socket.destroy();
  }
}

describe("startRedis", { tags: ["redis"] }, () => {
  it("starts a server that can be killed, restarted empty and stopped", async () => {
    const redis = await startRedis(["maxmemory 100mb"]);
    onTestFinished(() => redis.stop());
    expect(await send(redis.url, "SET a 1")).toBe("+OK");
    expect(await send(redis.url, "CONFIG GET maxmemory")).toContain("104857600");
    const { pid } = redis;
    await redis.kill();
    expect(isAlive(pid)).toBe(false);
    await expect(send(redis.url, "GET a")).rejects.toThrow("ECONNREFUSED");
    await redis.restart();
    expect(await send(redis.url, "GET a")).toBe("$-1");
    await redis.stop();
    await redis.stop();
    expect(isAlive(redis.pid)).toBe(false);
  });

  it("rejects with the output of Redis if it does not start", async () => {
    await expect(startRedis(["no-such-setting 1"])).rejects.toThrow("no-such-setting");
  });

  it("starts a server that ends with the process that started it, even if that process is killed", async () => {
    const program = `
      import { startRedis } from ${JSON.stringify(new URL("./redis.ts", import.meta.url).href)};
      console.log((await startRedis()).pid);`;
    // a killed process does not delete its temporary files
    const folder = await createTemporaryDirectory();
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
