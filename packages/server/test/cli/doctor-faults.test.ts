import { execFile } from "node:child_process";
import { chmod, chown, copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openObjectStore, STORE_CREDENTIALS } from "../../../testing/test/servers/object-store.ts";
import { openNameServer } from "../../../testing/test/servers/name-server.ts";
import { mountSmallDisk } from "../../../testing/test/servers/small-disk.ts";
import { CLI, openWorkspace, type Workspace } from "./command.ts";

const execute = promisify(execFile);

interface Check {
  readonly name: string;
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
}

/** A remote browser that does not exist, so no local one is started. */
const ENVIRONMENT = { SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_BROWSER_EGRESS: "direct", SNAP_PORT: "0" };
/** `ok`, the remote browser, which does not exist, and lookups, which need the internet. */
const IGNORED = new Set(["ok", "remote_browser_unreachable", "names_unresolved"]);

/** A healthy folder that each test copies. */
const healthy = openWorkspace(ENVIRONMENT);
let workspace: Workspace;
let accountId: string;
const path = (name: string): string => join(workspace.directory, name);
beforeAll(async () => {
  const created = await healthy.json([
    "accounts",
    "create",
    "--email",
    "ada@example.com",
    "--plan",
    "starter",
  ]);
  accountId = (created as { id: string }).id;
  await healthy.json(["tokens", "create", "--account", accountId]);
  await healthy.json(["backup", join(healthy.directory, "snap.tar")]);
});
beforeEach(async () => {
  workspace = openWorkspace(ENVIRONMENT);
  await cp(healthy.directory, workspace.directory, { recursive: true });
});
afterEach(() => workspace.cleanUp());
afterAll(() => healthy.cleanUp());

async function examine(environment?: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const { stdout } = await workspace.run(["doctor", "--json"], environment);
  return (JSON.parse(stdout) as { checks: Check[] }).checks;
}

/** Returns the status and code of each check that is not ok, except those in `IGNORED`. */
async function findings(environment?: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const checks = await examine(environment);
  return checks.filter(({ code }) => !IGNORED.has(code)).map(({ status, code }) => `${status} ${code}`);
}

async function adviceOn(code: string, environment?: NodeJS.ProcessEnv): Promise<string> {
  const found = (await examine(environment)).find((check) => check.code === code);
  if (found?.advice === undefined) throw new Error(`doctor gave no advice on ${code}`);
  return found.advice;
}

describe("snap-server doctor reports", () => {
  it("no problem", async () => {
    expect(await findings()).toEqual([]);
    // fonts are checked only for a local browser
    expect((await examine()).map(({ name }) => name)).not.toContain("fonts");
  });

  it("name servers that resolve public names to private addresses, which are blocked", async () => {
    const server = await openNameServer(() => ["10.0.0.1"]);
    const checks = await examine({ SNAP_DNS_SERVERS: server.address });
    server.close();
    expect(checks).toContainEqual(
      expect.objectContaining({
        status: "warning",
        code: "names_unresolved",
        message: expect.stringContaining("it has the address 10.0.0.1, which is not public"),
      }),
    );
  });

  it("a wrong key", async () => {
    await copyFile(path("data/secret.key"), path("kept.key"));
    await writeFile(path("data/secret.key"), "another key altogether\n");
    expect(await findings()).toEqual(["problem secret_key_wrong"]);
    expect(await adviceOn("secret_key_wrong")).toContain("restore the right key");
    await copyFile(path("kept.key"), path("data/secret.key"));
    expect(await findings()).toEqual([]);
  });

  it("a key that decrypts only some of the secrets", async () => {
    const [account] = (await workspace.json(["accounts", "list"])) as { id: string }[];
    await workspace.json(["tokens", "create", "--account", account?.id ?? ""]);
    const database = new DatabaseSync(path("data/snap.db"));
    database.exec("UPDATE tokens SET sealed_signing_secret = x'00' WHERE id = (SELECT min(id) FROM tokens)");
    database.close();
    expect(await findings()).toEqual(["problem secret_key_wrong"]);
    expect(await adviceOn("secret_key_wrong")).toContain("run `snap-server secret-key replace`");
    expect(await workspace.json(["secret-key", "replace", "--yes"])).toMatchObject({ tokens: [{ id: 1 }] });
    expect(await findings()).toEqual([]);
  });

  it("a key that is permanently lost", async () => {
    await rm(path("data/secret.key"));
    expect(await findings()).toEqual(["problem secret_key_missing"]);
    expect(await adviceOn("secret_key_missing")).toContain("`snap-server secret-key replace`");
    expect(await readdir(path("data"))).not.toContain("secret.key");
    await workspace.json(["secret-key", "replace", "--yes"]);
    expect(await findings()).toEqual([]);
    expect(await workspace.json(["accounts", "list"])).toHaveLength(1);
  });

  it("a database from a newer release", async () => {
    const database = new DatabaseSync(path("data/snap.db"));
    database.exec("PRAGMA user_version = 99");
    expect(await findings()).toEqual(["problem schema_newer"]);
    database.exec("PRAGMA user_version = 12");
    database.close();
    expect(await findings()).toEqual([]);
  });

  it("a corrupt database, and a missing one", async () => {
    await writeFile(path("data/snap.db"), "this is not a database ".repeat(500));
    expect(await findings()).toEqual(["problem database_damaged"]);
    expect(await adviceOn("database_damaged")).toContain("`snap-server restore FILE --yes`");
    await workspace.json(["restore", path("snap.tar"), "--yes"]);
    expect(await findings()).toEqual([]);
    await rm(path("data/snap.db"));
    expect(await findings()).toEqual(["problem database_missing"]);
    expect(await adviceOn("database_missing")).toContain("`snap-server restore FILE --yes`");
    for (const command of [["serve"], ["accounts", "create", "--email", "eve@example.com"]])
      expect(await workspace.run(command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("has been used, but its snap.db is missing or empty"),
      });
    await writeFile(path("data/snap.db"), "");
    expect(await findings()).toEqual(["problem database_missing"]);
    await workspace.json(["restore", path("snap.tar"), "--yes"]);
    expect(await findings()).toEqual([]);
    expect(await workspace.json(["accounts", "list"])).toHaveLength(1);
  });

  it("an account whose plan is gone", async () => {
    const plans = [{ slug: "team", name: "Team", creditsPerPeriod: 5000, requestsPerMinute: 40 }];
    await writeFile(path("plans.json"), JSON.stringify(plans));
    const environment = { SNAP_PLANS_FILE: path("plans.json") };
    expect(await findings(environment)).toEqual(["problem plan_missing"]);
    const command = /snap-server (accounts update .*)$/.exec(
      await adviceOn("plan_missing", environment),
    )?.[1];
    await workspace.json(String(command).split(" "), environment);
    expect(await findings(environment)).toEqual([]);
  });

  it("object stores that reject requests or are unreachable", async () => {
    const server = await openObjectStore();
    const { region, bucket, accessKeyId, secretAccessKey } = STORE_CREDENTIALS;
    const store = { endpoint: server.origin, region, bucket, accessKeyId, secretAccessKey };
    const stores = {
      archive: store,
      typo: { ...store, bucket: "renderngs" },
      gone: { ...store, endpoint: "http://127.0.0.1:1" },
    };
    await writeFile(path("stores.json"), JSON.stringify(stores));
    const environment = { SNAP_STORES_FILE: path("stores.json"), SNAP_OBJECT_STORE: "archive" };
    const checks = (await examine(environment)).filter(({ name }) => name === "object store");
    await server.close();
    expect(checks.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `ok archive (bucket renderings at ${server.origin})`,
      `store_refuses typo (bucket renderngs at ${server.origin}): 404`,
      "store_unavailable gone (bucket renderings at http://127.0.0.1:1): no connection, or an invalid certificate",
    ]);
    expect(JSON.stringify(checks)).not.toContain(secretAccessKey);
    expect(server.objects.size).toBe(0);
  });

  it("an old backup, and a missing one", async () => {
    const database = new DatabaseSync(path("data/snap.db"));
    database.exec("UPDATE backups SET made_at = 0");
    expect(await findings()).toEqual(["warning backup_old"]);
    database.exec("DELETE FROM backups");
    database.close();
    expect(await findings()).toEqual(["warning backup_missing"]);
    await workspace.json(["backup", path("snap.tar")]);
    expect(await findings()).toEqual([]);
  });

  it("a running service", async () => {
    const server = workspace.start(["serve"]);
    await server.whenPrinted(/"msg":"listening"/);
    expect(await findings()).toEqual([]);
    const service = (await examine()).find(({ name }) => name === "service");
    expect(service?.message).toMatch(new RegExp(`^running as process ${server.child.pid} on `));
    server.child.kill("SIGKILL");
    await server.ended;
    expect((await examine()).find(({ name }) => name === "service")?.message).toBe("not running");
  });

  it("a full disk", { tags: ["mount"] }, async () => {
    const disk = await mountSmallDisk({ mebibytes: 64 });
    await cp(path("data"), join(disk.directory, "data"), { recursive: true });
    const environment = { SNAP_DATA_DIR: join(disk.directory, "data"), SNAP_DISK_RESERVE_BYTES: "0" };
    disk.fill();
    expect(await findings(environment)).toEqual(["problem disk_full"]);
    await disk.clear();
    expect(await findings(environment)).toEqual([]);
  });

  it("a data folder that others can enter", async () => {
    await chmod(path("data"), 0o750);
    expect(await findings()).toEqual(["warning folder_open"]);
    expect(await adviceOn("folder_open")).toBe(`chmod 700 ${path("data")}`);
  });

  // only root can change a file's owner
  const isRoot = process.getuid?.() === 0;
  it.runIf(isRoot)("another user's data folder, but only if everybody can write to it", async () => {
    const serviceUserId = 65_534;
    await chmod(workspace.directory, 0o755);
    for (const name of await readdir(path("data")))
      await chown(path(`data/${name}`), serviceUserId, serviceUserId);
    // as Kubernetes prepares a volume
    await chown(path("data"), 0, serviceUserId);
    await chmod(path("data"), 0o2775);
    const folderFinding = async (): Promise<Check | undefined> => {
      const { stdout } = await execute(process.execPath, [CLI, "doctor", "--json"], {
        uid: serviceUserId,
        gid: serviceUserId,
        cwd: workspace.directory,
        env: workspace.environment,
      }).catch((error: { readonly stdout: string }) => error);
      return (JSON.parse(stdout) as { checks: Check[] }).checks.find(({ name }) => name === "storage");
    };
    expect(await folderFinding()).toMatchObject({ code: "ok" });
    await chmod(path("data"), 0o777);
    expect(await folderFinding()).toMatchObject({
      code: "folder_open",
      advice: `as root: chown 65534 ${path("data")} && chmod 700 ${path("data")}`,
    });
  });

  it("a missing database, and does not create one", async () => {
    const folder = path("unused");
    const storage = (await examine({ SNAP_DATA_DIR: folder })).find(({ name }) => name === "storage");
    expect(storage?.message).toContain("if the service has run before, set SNAP_DATA_DIR to its folder");
    await mkdir(folder);
    await examine({ SNAP_DATA_DIR: folder });
    expect(await readdir(folder)).toEqual([]);
  });
});
