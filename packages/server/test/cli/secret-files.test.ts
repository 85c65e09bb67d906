import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SETTINGS } from "../../src/config/settings.ts";
import { readConfig, ConfigError, type Environment } from "../../src/config.ts";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

const KEY = "a key of more than 16 characters";
let files = 0;

async function writeSecretFile(content: string): Promise<string> {
  const file = join(workspace.directory, `secret-${(files += 1)}`);
  await writeFile(file, content);
  return file;
}

function mistakesOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe("a secret in a file", () => {
  it("is accepted for every setting that can contain one", async () => {
    const secrets = Object.values(SETTINGS).filter((setting) => "secret" in setting);
    expect(secrets.map(({ variable }) => variable)).toEqual([
      "SNAP_DATABASE_URL",
      "SNAP_REDIS_URL",
      "SNAP_SECRET_KEY",
      "SNAP_TOKEN",
      "SNAP_BROWSER_URL",
      "SNAP_UPSTREAM_PROXY",
      "SNAP_ADMIN_TOKEN",
    ]);
    const { config, warnings } = readConfig({
      SNAP_DATABASE_URL_FILE: await writeSecretFile("postgres://snap:secret@db.internal/snap\n"),
      SNAP_REDIS_URL_FILE: await writeSecretFile("redis://:secret@cache.internal"),
      SNAP_SECRET_KEY_FILE: await writeSecretFile(`${KEY}\r\n`),
      SNAP_BROWSER_URL_FILE: await writeSecretFile("http://127.0.0.1:9222\n"),
      SNAP_UPSTREAM_PROXY_FILE: await writeSecretFile("http://snap:secret@proxy.internal:3128\n"),
      SNAP_TOKEN_FILE: await writeSecretFile(`${"abcdefgh".repeat(4)}\n`),
      SNAP_ADMIN_TOKEN_FILE: await writeSecretFile("a-token-for-scripts\n"),
    });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      shared: {
        databaseUrl: "postgres://snap:secret@db.internal/snap",
        redisUrl: "redis://:secret@cache.internal",
      },
      secretKey: KEY,
      ownToken: "abcdefgh".repeat(4),
      browserEndpoints: [{ url: new URL("http://127.0.0.1:9222") }],
      upstreamProxy: "http://snap:secret@proxy.internal:3128",
      adminToken: "a-token-for-scripts",
    });
  });

  it("is used by commands, like a secret in the variable", async () => {
    const account = await workspace.json(["accounts", "create", "--email", "ada@example.com"], {
      SNAP_SECRET_KEY: KEY,
    });
    const { id } = account as { id: string };
    const created = await workspace.json(["tokens", "create", "--account", id], { SNAP_SECRET_KEY: KEY });
    const inFile = { SNAP_SECRET_KEY_FILE: await writeSecretFile(`${KEY}\n`) };
    expect(await workspace.json(["tokens", "reveal", "1"], inFile)).toMatchObject({
      signing_secret: (created as { signing_secret: string }).signing_secret,
    });
    const other = { SNAP_SECRET_KEY_FILE: await writeSecretFile("another key of more than 16 characters") };
    expect(await workspace.run(["tokens", "reveal", "1", "--json"], other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"code":"secret_key_wrong"'),
    });
  });

  it("is rejected if its variable is also set", async () => {
    const file = await writeSecretFile(KEY);
    const { code, stderr } = await workspace.run(["accounts", "list"], {
      SNAP_SECRET_KEY: KEY,
      SNAP_SECRET_KEY_FILE: file,
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: SNAP_SECRET_KEY_FILE is "${file}": must not be set together with SNAP_SECRET_KEY; unset one of them\n`,
    });
  });

  it("is reported once, with its variable and path, if it cannot be read", async () => {
    const folder = join(workspace.directory, "folder");
    await mkdir(folder);
    const shared = { SNAP_REDIS_URL: "redis://cache.internal", SNAP_SECRET_KEY: KEY };
    for (const [file, reason] of [
      [join(folder, "missing"), "ENOENT"],
      [folder, "EISDIR"],
    ] as const)
      expect(mistakesOf({ ...shared, SNAP_DATABASE_URL_FILE: file })).toEqual([
        expect.stringMatching(
          new RegExp(`^SNAP_DATABASE_URL_FILE is "${file}": must be the path of a readable file: ${reason}`),
        ),
      ]);
  });

  it("satisfies a variable that requires it, even if it cannot be read", () => {
    const file = join(workspace.directory, "missing");
    expect(mistakesOf({ SNAP_UPSTREAM_PROXY_FILE: file, SNAP_NO_PROXY: "10.0.0.0/8" })).toEqual([
      expect.stringMatching(/^SNAP_UPSTREAM_PROXY_FILE is /),
    ]);
  });

  it("is rejected if it is empty or invalid, without showing its content", async () => {
    const empty = await writeSecretFile("\n");
    expect(mistakesOf({ SNAP_SECRET_KEY_FILE: empty })).toEqual([
      `SNAP_SECRET_KEY_FILE is "${empty}": must be the path of a file that is not empty`,
    ]);
    const short = await writeSecretFile("hunter2");
    expect(mistakesOf({ SNAP_SECRET_KEY_FILE: short })).toEqual([
      expect.stringMatching(
        /^SNAP_SECRET_KEY_FILE is ".*": must be a random string of at least 16 characters/,
      ),
    ]);
    expect(mistakesOf({ SNAP_SECRET_KEY_FILE: short }).join()).not.toContain("hunter2");
  });

  it("is not read for a setting that is not secret", () => {
    expect(readConfig({ SNAP_PORT_FILE: "/run/secrets/port" }).warnings).toEqual([
      "SNAP_PORT_FILE is not a known variable",
    ]);
  });
});
