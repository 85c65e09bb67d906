import { createEngine, type Engine, type MintedToken } from "@snap/engine";
import { openSqliteSource, openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeClock, createFakeRenderer, createFakeWebhookSender } from "@snap/testing";
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { mountSmallDisk } from "../../../testing/test/servers/small-disk.ts";
import { RESOLVER, SECRET_KEY } from "../migrate/seed-data-folder.ts";
import { readArchive } from "../../src/backup/read-archive.ts";
import { withWorkDirectory } from "../../src/backup/work-directory.ts";
import { CLI, openWorkspace, type Workspace } from "./command.ts";

const UNDO_LAST_MIGRATIONS = `
  ALTER TABLE renderings DROP COLUMN page;
  DROP TABLE idempotency_keys;
  DROP TABLE delivery_attempts;
  DROP TABLE sign_ins;
  DROP TABLE usage_totals;
  DROP TABLE history;
  DROP TABLE history_slices;
  DROP TABLE history_texts;
  DROP TABLE history_accounts;
  DROP TABLE document_files;
  DROP TABLE documents;
  PRAGMA user_version = 8`;

const execute = promisify(execFile);
const MINUTE_MS = 60_000;
/** A remote browser that does not exist, so no local one is started. */
const ENVIRONMENT = { SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_BROWSER_EGRESS: "direct", SNAP_PORT: "0" };

let workspace: Workspace;
let data: string;
let file: string;
beforeEach(async () => {
  workspace = openWorkspace(ENVIRONMENT);
  data = join(workspace.directory, "data");
  file = join(workspace.directory, "snap.tar");
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(data, "secret.key"), `${SECRET_KEY}\n`, { mode: 0o600 });
});
afterEach(() => workspace.cleanUp());

/** Opens an engine on a folder, and returns it with its fakes. */
async function openEngine(directory: string, startMs?: number) {
  const clock = createFakeClock(startMs ?? Date.now());
  const renderer = createFakeRenderer();
  const webhookSender = createFakeWebhookSender();
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer,
    webhookSender,
    clock,
    secretKey: SECRET_KEY,
    resolver: RESOLVER,
  });
  onTestFinished(() => engine.close());
  return { engine, clock, renderer, webhookSender };
}

async function newToken({ accounts, tokens }: Engine): Promise<MintedToken> {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = await accounts.create({
    email,
    planSlug: "scale",
    creditsPerPeriod: 1_000_000,
    requestsPerMinute: 1_000_000,
    verified: true,
  });
  return tokens.create({ accountId: account.id });
}

/** Backs up in another process, which neither blocks the service nor shares its locks. */
async function backUp(...options: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await workspace.start(["backup", file, ...options, "--json"]).ended;
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Restores into another folder with the same key. */
async function restoreToNewFolder(): Promise<string> {
  const directory = join(workspace.directory, "restored");
  await mkdir(directory);
  await copyFile(join(data, "secret.key"), join(directory, "secret.key"));
  await workspace.json(["restore", file], { SNAP_DATA_DIR: directory });
  return directory;
}

describe("a backup", () => {
  it("made under load has a ledger that adds up, and every rendering that was charged", async () => {
    const { engine } = await openEngine(data);
    const { token } = await newToken(engine);
    const principal = await engine.authenticate(token);
    let rendered = 0;
    let isUnderLoad = true;
    const load = Array.from({ length: 4 }, async () => {
      while (isUnderLoad) {
        rendered += 1;
        await engine.capture({ principal, parameters: { url: `https://example.com/${rendered}` } });
        // the fakes never yield to the event loop, and the rest of the test would not run
        await new Promise(setImmediate);
      }
    });
    const loadEnded = Promise.all(load);
    while (rendered < 20) await Promise.race([loadEnded, new Promise(setImmediate)]);
    const report = await backUp();
    isUnderLoad = false;
    await loadEnded;

    const directory = await restoreToNewFolder();
    const source = await openSqliteSource({ directory });
    const totals = await source.totals();
    await source.close();
    expect(totals.used).toBe(totals.journalSettled - totals.journalReversed);
    expect(totals.granted).toBe(totals.journalGranted);
    expect(totals.reserved).toBe(
      totals.journalReserved - totals.journalSettled - totals.journalRefunded - totals.journalLapsed,
    );
    expect(totals.reserved).toBe(totals.openReservations);
    expect(totals.used).toBeGreaterThanOrEqual(16);
    expect(report["renderings"]).toBeGreaterThanOrEqual(totals.used);
    const restored = (await openEngine(directory)).engine;
    const again = await restored.authenticate(token);
    const { cache } = await restored.capture({
      principal: again,
      parameters: { url: "https://example.com/1" },
    });
    expect(cache).toBe("hit");
  });

  it("contains the documents, even without the renderings, and restores them", async () => {
    const { engine } = await openEngine(data);
    const { token } = await newToken(engine);
    const html = "<p>Hello</p>";
    const principal = await engine.authenticate(token);
    const document = await engine.documents.create({ principal, content: { html } });
    await engine.close();
    expect(await backUp("--without-renderings")).toMatchObject({ documents: 1, renderings: 0 });
    const directory = await restoreToNewFolder();
    const restored = (await openEngine(directory)).engine;
    const again = await restored.authenticate(token);
    expect(await restored.documents.find({ principal: again, id: document.id })).toEqual(document);
    const printed = await workspace.run(["backup", file]);
    expect(printed.stdout).toMatch(
      /^Backed up to .*: [\d.]+ [KM]B with 1 document and 0 cached renderings, as of /,
    );
    const [name = ""] = await readdir(join(directory, "snap.db-documents"));
    expect(await readFile(join(directory, "snap.db-documents", name), "utf8")).toBe(html);
  });

  it("is a private tar file that standard tools can verify, and does not contain the key", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    expect(await backUp()).toMatchObject({ file, renderings: 0, secret_key: join(data, "secret.key") });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(workspace.directory)).toSorted()).toEqual(["data", "snap.tar"]);
    const unpacked = join(workspace.directory, "unpacked");
    await mkdir(unpacked);
    await execute("tar", ["--extract", "--file", file, "--directory", unpacked]);
    await execute("sha256sum", ["--check", "SHA256SUMS"], { cwd: unpacked });
    expect((await readdir(unpacked)).toSorted()).toEqual(["SHA256SUMS", "manifest.json", "snap.db"]);
    const manifest = JSON.parse(await readFile(join(unpacked, "manifest.json"), "utf8")) as unknown;
    expect(manifest).toMatchObject({
      format: "snap-backup-1",
      schema_version: 12,
      includes_renderings: true,
    });
    expect((await readFile(file)).includes(SECRET_KEY)).toBe(false);
  });

  it("can be piped, and can be made but not restored while the service is running", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const server = workspace.start(["serve"], { SNAP_METRICS: "on" });
    const [, port] = await server.whenPrinted(/"port":(\d+),"msg":"listening"/);
    const written = await execute("sh", ["-c", `${process.execPath} ${CLI} backup - > snap.tar`], {
      cwd: workspace.directory,
      env: workspace.environment,
    });
    expect(written.stderr).toContain("The secret key is not in it.");
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(/^snap_backup_age_seconds \d/m);
    const refused = new RegExp(
      `is in use by the service, process ${server.child.pid} on .*; stop that process first`,
    );
    for (const command of [["serve"], ["restore", file, "--yes"]])
      expect(await workspace.run(command)).toMatchObject({ code: 1, stderr: expect.stringMatching(refused) });
    expect(await workspace.json(["accounts", "list"])).toHaveLength(1);

    // the lock is released when the process exits
    server.child.kill("SIGKILL");
    await server.ended;
    await workspace.json(["accounts", "create", "--email", "bob@example.com"]);
    const { stdout } = await execute(
      "sh",
      ["-c", `${process.execPath} ${CLI} restore - --yes --json < snap.tar`],
      {
        cwd: workspace.directory,
        env: workspace.environment,
      },
    );
    const { previous } = JSON.parse(stdout) as { previous: string };
    expect(dirname(previous)).toBe(data);
    expect(await workspace.json(["accounts", "list"])).toMatchObject([{ email: "ada@example.com" }]);
    await copyFile(join(data, "secret.key"), join(previous, "secret.key"));
    expect(await workspace.json(["accounts", "list"], { SNAP_DATA_DIR: previous })).toHaveLength(2);
    await workspace.start(["serve"]).whenPrinted(/"msg":"listening"/);
  });

  it("can be piped to a slower reader", async () => {
    const { engine } = await openEngine(data);
    const { token } = await newToken(engine);
    const principal = await engine.authenticate(token);
    await engine.documents.create({ principal, content: { html: "a".repeat(4_000_000) } });
    await engine.close();
    // the reader starts three programs for every 64 KB
    const reader = 'while [ "$(head -c 65536 | tee -a snap.tar | wc -c)" -gt 0 ]; do :; done';
    await execute("bash", ["-c", `set -o pipefail; '${process.execPath}' '${CLI}' backup - | ${reader}`], {
      cwd: workspace.directory,
      env: workspace.environment,
    });
    expect((await stat(file)).size).toBeGreaterThan(4_000_000);
    await restoreToNewFolder();
  });

  it("once restored, resumes batches, and delivers webhooks again with the same id", async () => {
    const { engine, renderer, webhookSender, clock } = await openEngine(data);
    const { token } = await newToken(engine);
    const principal = await engine.authenticate(token);
    const submit = async (path: string) => {
      const items = [{ url: `https://example.com/${path}` }];
      return engine.batches.submit({
        principal,
        document: { items, webhookUrl: "https://example.com/hook" },
      });
    };
    const worker = engine.startWorker();
    const delivered = webhookSender.hold();
    await submit("finished");
    await webhookSender.whenSent(1);
    const rendering = renderer.hold();
    const { id } = await submit("running");
    while (engine.load().running === 0) await new Promise(setImmediate);
    await backUp();
    delivered();
    rendering();
    await worker.stop();

    const restored = await openEngine(await restoreToNewFolder(), clock.now() + 10 * MINUTE_MS);
    restored.engine.startWorker();
    await restored.webhookSender.whenSent(2);
    const ids = restored.webhookSender.requests.map(({ headers }) => headers["X-Webhook-Id"]);
    expect(ids).toContain(webhookSender.requests[0]?.headers["X-Webhook-Id"]);
    expect(new Set(ids).size).toBe(2);
    const again = await restored.engine.authenticate(token);
    expect(await restored.engine.batches.get({ principal: again, batchId: id })).toMatchObject({
      status: "complete",
    });
    expect((await restored.engine.credits(again.account)).used).toBe(2);
  });

  it("leaves nothing behind if it fails, and keeps the earlier backup", { tags: ["mount"] }, async () => {
    const disk = await mountSmallDisk({ mebibytes: 1 });
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    await writeFile(join(disk.directory, "earlier.tar"), "manifest.json\0of an earlier backup");
    disk.fill();
    const full = await workspace.run(["backup", join(disk.directory, "earlier.tar"), "--json"]);
    expect(full.code).toBe(1);
    expect(JSON.parse(full.stderr)).toMatchObject({
      error: {
        code: "disk_full",
        message: `the disk that holds ${disk.directory} is full`,
        advice: expect.stringMatching(/^no backup was made, and nothing is left behind/),
      },
    });
    expect((await readdir(disk.directory)).toSorted()).toEqual(["earlier.tar", "foreign"]);
    expect(await readFile(join(disk.directory, "earlier.tar"), "utf8")).toMatch(/an earlier backup$/);
  });

  it("replaces an earlier backup or an empty file, and nothing else", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    await writeFile(file, "");
    await backUp();
    await backUp();
    await writeFile(join(workspace.directory, "notes"), "manifest.json is a name");
    await symlink(data, join(workspace.directory, "link"));
    await mkdir(join(workspace.directory, "other/deep"), { recursive: true });
    await symlink("other/deep", join(workspace.directory, "deep"));
    await writeFile(join(workspace.directory, "other/notes"), "also notes");
    const before = await readdir(data);
    for (const target of [
      "notes",
      "missing/snap.tar",
      "data",
      "data/snap.db",
      "data/secret.key",
      "data/snap.db-wal",
      "link/snap.db-journal",
      "/dev/null",
      "",
      "notes/",
      "missing/../notes",
      "deep/../notes",
      "other/..",
    ])
      expect(await workspace.run(["backup", target, "--json"])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /"code":"backup_invalid".*"advice":"no backup was made; choose another file"/,
        ),
      });
    expect(await readdir(data)).toEqual(before);
    expect(await readFile(join(workspace.directory, "notes"), "utf8")).toBe("manifest.json is a name");
    expect(await readFile(join(workspace.directory, "other/notes"), "utf8")).toBe("also notes");
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
    expect(await workspace.json(["accounts", "list"])).toHaveLength(1);
  });

  it("replaces the file that a link points to, or creates it, and keeps the link", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const disk = join(workspace.directory, "disk");
    await mkdir(join(disk, "backups"), { recursive: true });
    await symlink(join(disk, "backups"), join(workspace.directory, "backups"));
    await symlink("../snap.tar", join(disk, "backups", "latest.tar"));
    await symlink("backups/latest.tar", file);
    const target = join(disk, "snap.tar");
    for (const previous of ["missing", "replaced"]) {
      const before = await stat(target).catch(() => null);
      expect(before === null ? "missing" : "replaced").toBe(previous);
      expect((await backUp())["file"]).toBe(target);
      expect((await stat(target)).ino).not.toBe(before?.ino);
      expect(await readFile(target, "latin1")).toMatch(/^manifest[.]json\0/);
    }
    expect(await readlink(file)).toBe("backups/latest.tar");
    expect(await readlink(join(disk, "backups", "latest.tar"))).toBe("../snap.tar");

    await symlink(join(data, "snap.db-wal"), join(workspace.directory, "reserved"));
    expect(await workspace.run(["backup", join(workspace.directory, "reserved")])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is reserved for the data folder"),
    });
  });

  it("names a folder that it cannot write to", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    expect(await workspace.run(["backup", "/sys/snap.tar"])).toMatchObject({
      code: 1,
      stderr: "error: cannot write to /sys; no backup was made; choose another file\n",
    });
  });

  // root can read every file
  it.runIf(process.getuid?.() === 0)("names a folder or a backup that it cannot read", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const user = 65_534;
    const folder = join(workspace.directory, "backups");
    const unreadable = join(folder, "snap.tar");
    await mkdir(folder);
    await writeFile(unreadable, "a backup of another user", { mode: 0o600 });
    const dataDir = join(workspace.directory, "data");
    for (const name of await readdir(dataDir)) await chown(join(dataDir, name), user, user);
    await chown(dataDir, user, user);
    await chmod(workspace.directory, 0o755);
    const backUpAsUser = (target: string): Promise<unknown> =>
      promisify(execFile)(process.execPath, [CLI, "backup", target], {
        uid: user,
        gid: user,
        cwd: workspace.directory,
        env: workspace.environment,
      }).catch(({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, stderr }));
    expect(await backUpAsUser(unreadable)).toEqual({
      code: 1,
      stderr: `error: EACCES: permission denied, open '${unreadable}'; no backup was made; choose another file\n`,
    });
    await chmod(folder, 0o733);
    expect(await backUpAsUser(join(folder, "new.tar"))).toEqual({
      code: 1,
      stderr: `error: cannot read ${folder}; no backup was made; choose another file\n`,
    });
  });

  it("removes the files that a killed backup left behind, but not those of a running one", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    await mkdir(join(workspace.directory, ".snap-backup-a1b2c3"));
    // killed before it had its lock and its name
    const unlocked = join(workspace.directory, ".snap-backup.a1b2c3");
    await mkdir(unlocked);
    await utimes(unlocked, 0, 0);
    // might belong to a backup that has just started
    const recent = ".snap-backup.d4e5f6";
    await mkdir(join(workspace.directory, recent));
    await withWorkDirectory(workspace.directory, async (running) => {
      await backUp();
      expect((await readdir(workspace.directory)).toSorted()).toEqual(
        [basename(running), recent, "data", "snap.tar"].toSorted(),
      );
    });
    expect((await readdir(workspace.directory)).toSorted()).toEqual([recent, "data", "snap.tar"]);
  });

  it("is not made from an empty database, and does not replace the earlier backup", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    await backUp();
    const earlier = await readFile(file);
    await writeFile(join(data, "snap.db"), "");
    await writeFile(join(data, "snap.db-wal"), "");
    for (const target of [file, "-"]) {
      const refused = await workspace.run(["backup", target, "--json"]);
      expect(refused.code).toBe(1);
      expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "database_missing" } });
    }
    expect((await stat(join(data, "snap.db"))).size).toBe(0);
    expect(await readFile(file)).toEqual(earlier);
  });

  it("is complete even if the data folder cannot record it", async () => {
    const { engine } = await openEngine(data);
    const principal = await engine.authenticate((await newToken(engine)).token);
    await engine.capture({ principal, parameters: { url: "https://example.com/" } });
    await engine.close();
    const database = new DatabaseSync(join(data, "snap.db"));
    // fails in the data folder, but not in the copy, which has no renderings
    database.exec(`
      CREATE TRIGGER full BEFORE INSERT ON backups WHEN EXISTS (SELECT * FROM renderings)
      BEGIN SELECT RAISE(FAIL, 'disk is full'); END`);
    database.close();
    const made = await workspace.run(["backup", file, "--without-renderings"]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Backed up to ${file}`),
      stderr: `warning: the backup is complete, but ${data} could not record it: disk is full\n`,
    });
    expect((await stat(file)).size).toBeGreaterThan(0);
  });

  it("to stdout prints one JSON document to stderr, with its warnings", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const { stderr } = await workspace.run(["backup", "-", "--json"], { SNAP_PROT: "1" });
    expect(JSON.parse(stderr)).toMatchObject({
      file: null,
      documents: 0,
      warnings: [expect.stringContaining("SNAP_PROT is not a known variable")],
    });
  });

  it("once restored, has an audit entry for the restore, which is also logged", async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    await backUp();
    const restored = await workspace.run(["restore", file, "--yes"]);
    expect(restored.stderr).toContain('"command":"restore"');
    expect(await workspace.json(["audit"])).toMatchObject([
      { command: "accounts create" },
      { command: "restore", subjects: [`folder ${data}`], host: hostname() },
    ]);
  });

  it("can be neither made nor restored if the service uses PostgreSQL", async () => {
    const shared = {
      SNAP_DATABASE_URL: "postgres://127.0.0.1:9/snap",
      SNAP_REDIS_URL: "redis://127.0.0.1:9",
      SNAP_SECRET_KEY: SECRET_KEY,
    };
    for (const command of ["backup", "restore"])
      expect(await workspace.run([command, file], shared)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("see docs/how-to/run-several-machines.md"),
      });
  });
});

describe("a restore", () => {
  beforeEach(async () => {
    await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const [account] = (await workspace.json(["accounts", "list"])) as { id: string }[];
    await workspace.json(["tokens", "create", "--account", account?.id ?? ""]);
    await backUp();
  });

  /** Returns the error from a rejected restore, which must not change the folder. */
  async function failure(options: readonly string[] = ["--yes"], exitCode = 1): Promise<unknown> {
    const before = await readdir(data);
    const { code, stderr } = await workspace.run(["restore", file, ...options, "--json"]);
    expect(code).toBe(exitCode);
    expect(await readdir(data)).toEqual(before);
    return (JSON.parse(stderr) as { error: unknown }).error;
  }

  it("rejects a folder with a database unless --yes is passed", async () => {
    expect(await failure([])).toMatchObject({ code: "folder_not_empty" });
  });

  it("rejects a path that is not a file", async () => {
    for (const name of [data, join(workspace.directory, "missing.tar")])
      expect(await workspace.run(["restore", name, "--yes"])).toMatchObject({
        code: 1,
        stderr: `error: ${name} is not a file; nothing was changed; pass the path of a backup\n`,
      });
  });

  it("rejects a truncated backup, whatever its length", async () => {
    const { size } = await stat(file);
    for (const length of [0, 100, 512, 1500, Math.floor(size / 2), size - 2048]) {
      await backUp();
      await truncate(file, length);
      expect(await failure()).toMatchObject({ code: "backup_invalid" });
    }
  });

  it("rejects a backup with a changed byte", async () => {
    const bytes = await readFile(file);
    const at = bytes.indexOf("ada@example.com");
    bytes.write("eve", at);
    await writeFile(file, bytes);
    expect(await failure()).toMatchObject({
      code: "backup_invalid",
      message: expect.stringContaining("snap.db is missing or does not match its checksum"),
    });
  });

  it("rejects a backup with a file that has no checksum, even if the checksum of another one is repeated", async () => {
    const unpacked = join(workspace.directory, "unpacked");
    await mkdir(unpacked);
    await execute("tar", ["--extract", "--file", file, "--directory", unpacked]);
    await execute("sh", ["-c", "sha256sum manifest.json manifest.json > SHA256SUMS"], { cwd: unpacked });
    const names = ["manifest.json", "snap.db", "SHA256SUMS"];
    await execute("tar", ["--create", "--file", file, "--directory", unpacked, ...names]);
    expect(await failure()).toMatchObject({
      code: "backup_invalid",
      message: expect.stringContaining("it contains files without a checksum"),
    });
  });

  it("says what is wrong with the files of an invalid backup", async () => {
    const unpacked = join(workspace.directory, "unpacked");
    await mkdir(join(unpacked, "folder"), { recursive: true });
    await mkdir(join(unpacked, "malformed"));
    await execute("tar", ["--extract", "--file", file, "--directory", unpacked]);
    await writeFile(join(unpacked, "notes"), "");
    await writeFile(join(unpacked, "malformed", "SHA256SUMS"), "0123456789abcdef\n");
    // otherwise, tar adds a repeated file as a link
    const options = ["--create", "--hard-dereference", "--file", file, "--directory", unpacked];
    for (const [names, reason] of [
      ["manifest.json snap.db snap.db SHA256SUMS", "it contains snap.db more than once"],
      ["manifest.json snap.db notes", "it contains notes, which is not part of a backup"],
      ["manifest.json snap.db SHA256SUMS notes", "it contains notes after SHA256SUMS"],
      ["manifest.json snap.db folder", "folder/ is not a regular file"],
      ["manifest.json snap.db --directory malformed SHA256SUMS", "its SHA256SUMS has a malformed line"],
    ] as const) {
      await execute("tar", [...options, ...names.split(" ")]);
      const restored = await mkdtemp(join(workspace.directory, "restored-"));
      const folders = { documents: restored, renderings: restored };
      const request = {
        schemaVersion: 12,
        filename: join(restored, "snap.db"),
        folders,
        onProgress: () => {},
      };
      await expect(readArchive({ ...request, input: createReadStream(file) })).rejects.toMatchObject({
        code: "backup_invalid",
        problem: `this is not a complete backup: ${reason}`,
      });
    }
  });

  it("does not report the backup as invalid if the folder cannot be written", async () => {
    const missing = join(workspace.directory, "missing");
    const folders = { documents: missing, renderings: missing };
    const request = { schemaVersion: 12, filename: join(missing, "snap.db"), folders, onProgress: () => {} };
    await expect(readArchive({ ...request, input: createReadStream(file) })).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  it("rejects a folder in use by a process of an older release, which does not lock folders", async () => {
    const database = new DatabaseSync(join(data, "snap.db"));
    onTestFinished(() => database.close());
    database.exec("BEGIN; SELECT * FROM accounts");
    const { stderr } = await workspace.start(["restore", file, "--yes", "--json"]).ended;
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "folder_in_use", advice: "stop every process that uses it" },
    });
  });

  it("rejects a file that is not a backup", async () => {
    await execute("tar", ["--create", "--file", file, "--directory", data, "secret.key"]);
    expect(await failure()).toMatchObject({ code: "backup_invalid" });
    await writeFile(file, "anything ".repeat(200));
    expect(await failure()).toMatchObject({ code: "backup_invalid" });
  });

  it("rejects a backup from a newer release", async () => {
    const unpacked = join(workspace.directory, "unpacked");
    await mkdir(unpacked);
    await execute("tar", ["--extract", "--file", file, "--directory", unpacked]);
    const manifest = await readFile(join(unpacked, "manifest.json"), "utf8");
    await writeFile(
      join(unpacked, "manifest.json"),
      manifest.replace('"schema_version": 12', '"schema_version": 99'),
    );
    const names = ["manifest.json", "snap.db", "SHA256SUMS"];
    await execute("tar", ["--create", "--file", file, "--directory", unpacked, ...names]);
    expect(await failure()).toMatchObject({ code: "schema_newer" });
  });

  it("rejects a key that is not the backup's", async () => {
    await writeFile(join(data, "secret.key"), "another key altogether\n");
    expect(await failure(["--yes"], 2)).toMatchObject({ code: "secret_key_wrong" });
  });

  it("accepts a backup from an older release, which serve migrates", async () => {
    const unpacked = join(workspace.directory, "unpacked");
    await mkdir(unpacked);
    await execute("tar", ["--extract", "--file", file, "--directory", unpacked]);
    const database = new DatabaseSync(join(unpacked, "snap.db"));
    database.exec(UNDO_LAST_MIGRATIONS);
    database.close();
    const manifest = await readFile(join(unpacked, "manifest.json"), "utf8");
    await writeFile(
      join(unpacked, "manifest.json"),
      manifest.replace('"schema_version": 12', '"schema_version": 8'),
    );
    await execute("sh", ["-c", "sha256sum manifest.json snap.db > SHA256SUMS"], { cwd: unpacked });
    const names = ["manifest.json", "snap.db", "SHA256SUMS"];
    await execute("tar", ["--create", "--file", file, "--directory", unpacked, ...names]);
    expect((await workspace.run(["restore", file, "--yes"])).code).toBe(0);
    await workspace.start(["serve"]).whenPrinted(/migrating the database[^]*"msg":"listening"/);
  });
});
