import { openSqliteStorage } from "@snap/storage-sqlite";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSecretKey, requireSameKey } from "../../src/config/secret-key.ts";

const MODULE = new URL("../../src/config/secret-key.ts", import.meta.url).href;

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "snap-key-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("the key file", () => {
  it("is created once, readable only by its owner, and never overwritten", async () => {
    const key = await readSecretKey(directory);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(join(directory, "secret.key"))).mode & 0o777).toBe(0o600);
    expect(await readSecretKey(directory)).toBe(key);
    expect(await readdir(directory)).toEqual(["secret.key"]);
  });

  it("is the same for processes that start at the same time", async () => {
    const script = `import { readSecretKey, requireSameKey } from ${JSON.stringify(MODULE)}; console.log(await readSecretKey(process.argv[1]))`;
    const read = async (): Promise<string> => {
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--input-type=module",
        "--eval",
        script,
        directory,
      ]);
      return stdout.trim();
    };
    const keys = await Promise.all(Array.from({ length: 6 }, read));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBe((await readFile(join(directory, "secret.key"), "utf8")).trim());
    expect(await readdir(directory)).toEqual(["secret.key"]);
  });

  it.each(["", "\n", "short"])("is rejected, and not changed, if it contains %j", async (content) => {
    await writeFile(join(directory, "secret.key"), content);
    await expect(readSecretKey(directory)).rejects.toThrow(/secret\.key has fewer than 16 characters/);
    expect(await readFile(join(directory, "secret.key"), "utf8")).toBe(content);
  });

  it("is not created next to an existing database", async () => {
    await (await openSqliteStorage({ directory })).close();
    const before = await readdir(directory);
    await expect(readSecretKey(directory)).rejects.toThrow(/SNAP_SECRET_KEY/);
    expect(await readdir(directory)).toEqual(before);
  });

  it("is named in the error if it is unreadable", async () => {
    await mkdir(join(directory, "secret.key"));
    await expect(readSecretKey(directory)).rejects.toThrow(
      /cannot read the key file .*secret\.key \(EISDIR\)/,
    );
  });

  it("must match SNAP_SECRET_KEY", async () => {
    await expect(requireSameKey(directory, "a key for these tests")).resolves.toBeUndefined();
    await writeFile(join(directory, "secret.key"), "a key for these tests\n");
    await expect(requireSameKey(directory, "a key for these tests")).resolves.toBeUndefined();
    await expect(requireSameKey(directory, "another key for these tests")).rejects.toThrow(
      /SNAP_SECRET_KEY is not the key in .*secret\.key/,
    );
  });
});
