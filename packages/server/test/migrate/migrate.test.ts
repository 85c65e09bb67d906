import { createEngine, type Storage } from "@snap/engine";
import { openPostgresTarget } from "@snap/storage-postgres";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer, createFakeWebhookSender } from "@snap/testing";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace, type Outcome } from "../cli/command.ts";
import { openShared, useDatabases } from "./databases.ts";
import { DOCUMENT, seedDataFolder, RESOLVER, SECRET_KEY, type SeededData } from "./seed-data-folder.ts";

const workspace = openWorkspace();
const data = join(workspace.directory, "data");
const keyFile = join(data, "secret.key");
afterAll(() => workspace.cleanUp());

describe("migrate", { tags: ["postgres"] }, () => {
  const { newDatabase } = useDatabases();
  let seeded: SeededData;
  let url: string;
  let migrated: Outcome;
  beforeAll(async () => {
    await mkdir(data);
    await writeFile(keyFile, `${SECRET_KEY}\n`);
    seeded = await seedDataFolder(data);
    url = await newDatabase();
    migrated = await workspace.run(["migrate"], { SNAP_DATABASE_URL: url });
  });

  it("reports that both sides match, and what to do next", () => {
    const { code, stdout, stderr } = migrated;
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({
      msg: "audit",
      command: "migrate",
      subjects: [`database ${new URL(url).host}/test_1`],
    });
    const lines = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(lines[0]).toEqual(["FOLDER", "DATABASE"]);
    expect(lines).toContainEqual(["accounts", "7", "7"]);
    expect(lines).toContainEqual(["highest token id", "4", "4"]);
    expect(lines).toContainEqual(["batches", "4", "4"]);
    expect(lines).toContainEqual(["documents", "1", "1"]);
    expect(lines).toContainEqual(["bytes", "17", "17"]);
    expect(stdout).toContain(`records moved from ${data} to ${new URL(url).host}/test_1; both sides match.`);
    expect(stdout).toContain(`Next, set SNAP_SECRET_KEY to the contents of ${keyFile} on every machine.`);
    expect(stdout).not.toContain(SECRET_KEY);
  });

  it("moves nothing on a second run", async () => {
    const document = await workspace.json(["migrate", "--from", data, "--to", url]);
    expect(document).toMatchObject({
      from: data,
      to: `${new URL(url).host}/test_1`,
      moved: 0,
      was_finished: true,
      secret_key: { where: "file", path: keyFile },
      figures: {
        accounts: { from: 7, to: 7 },
        last_token_id: { from: 4, to: 4 },
        batches: { from: 4, to: 4 },
      },
    });
  });

  it("preserves what the ports return", async () => {
    const storages: [Storage, Storage] = [
      await openSqliteStorage({ directory: data }),
      await openShared(url),
    ];
    const [before, after] = await Promise.all(storages.map((storage) => readEverything(storage, seeded)));
    expect(after).toEqual(before);
    expect(before?.accounts).toHaveLength(7);
    expect(before?.others).toContainEqual(
      DOCUMENT.files.map(({ path, bytes }) =>
        expect.objectContaining({ path, bytes: new Uint8Array(Buffer.from(bytes)) }),
      ),
    );
    // Per period: settled, refunded, reversed, lapsed, two refunded here because they were open, and one rejected.
    const resolutions = Object.entries(Object.groupBy(before?.resolutions ?? [], (resolution) => resolution));
    expect(Object.fromEntries(resolutions.map(([resolution, all]) => [resolution, all?.length]))).toEqual({
      settled: 2,
      refunded: 6,
      reversed: 2,
      lapsed: 2,
      unknown: 2,
    });
    expect(before?.batches.map((batch) => batch?.delivery?.status)).toEqual([
      "delivered",
      "due",
      undefined,
      undefined,
    ]);
    await Promise.all(storages.map((storage) => storage.close()));
  });

  it("preserves tokens, secrets and queued batches", async () => {
    const renderer = createFakeRenderer();
    const webhookSender = createFakeWebhookSender();
    const storage = await openShared(url);
    const engine = createEngine({
      storage,
      renderer,
      webhookSender,
      secretKey: SECRET_KEY,
      resolver: RESOLVER,
    });
    for (const { record, token, signingSecret } of seeded.minted) {
      const principal = await engine.authenticate(token);
      // the first has been used since
      expect({ ...principal.token, lastUsedAt: null }).toEqual(record);
      expect((await engine.tokens.reveal(record.id)).signingSecret).toBe(signingSecret);
    }
    const { record } = await engine.tokens.create({ accountId: seeded.accountIds[0] ?? "" });
    expect(record.id).toBe(seeded.lastTokenId + 1);
    engine.startWorker();
    await webhookSender.whenSent(1);
    const batch = await engine.batches.inspect(seeded.unfinishedBatchId);
    expect(batch?.items.map(({ state }) => state.status)).toEqual(["done", "done"]);
    expect(webhookSender.requests[0]?.headers["X-Webhook-Id"]).toBe(seeded.unfinishedBatchId);
    await engine.close();
  });

  it("stores the key's fingerprint, and protects the database from commands with another key", async () => {
    const target = await openPostgresTarget({ url });
    expect(await target.pinKeyFingerprint("the fingerprint of another key")).toBe(false);
    await target.close();
    const shared = { SNAP_DATABASE_URL: url, SNAP_REDIS_URL: "redis://127.0.0.1:1" };
    const list = (secretKey: string) =>
      workspace.run(["accounts", "list"], { ...shared, SNAP_SECRET_KEY: secretKey });
    expect((await list("a new key for the new machines")).stderr).toContain(
      "SNAP_SECRET_KEY is not the key that encrypted the stored signing secrets",
    );
    expect((await list(SECRET_KEY)).code).toBe(0);
  });

  it("rejects a folder that was used after the migration", async () => {
    const engine = await openEmbedded(data);
    await engine.accounts.create({ email: "new@example.com", verified: true });
    await engine.close();
    const { code, stderr } = await workspace.run(["migrate", "--to", url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: the source has changed since the migration was completed, or is a different one; new records cannot be added: .*accounts/,
    );
  });
});

describe("migrate rejects", { tags: ["postgres"] }, () => {
  const { server, newDatabase } = useDatabases();
  const folder = join(workspace.directory, "small");
  beforeAll(async () => {
    await mkdir(folder);
    const engine = await openEmbedded(folder);
    await engine.tokens.create({ accountId: (await createAccount(engine)).id });
    await engine.close();
    await writeFile(join(folder, "secret.key"), SECRET_KEY);
  });
  const failure = async (args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<unknown> => {
    const { code, stdout, stderr } = await workspace.run(["migrate", ...args], environment);
    expect(stdout).toBe("");
    return { code, stderr };
  };

  it("a missing or invalid target, without printing it", async () => {
    expect(await failure(["--from", folder])).toEqual({
      code: 2,
      stderr: "error: no target database; pass --to, or set SNAP_DATABASE_URL\n",
    });
    const message =
      "must be a postgres:// or postgresql:// URL, such as postgres://snap:secret@db.internal:5432/snap";
    expect(await failure(["--to", "mysql://snap:hunter2@db/snap"])).toEqual({
      code: 2,
      stderr: `error: --to ${message}\n`,
    });
    expect(await failure([], { SNAP_DATABASE_URL: "hunter2" })).toEqual({
      code: 2,
      stderr: `error: SNAP_DATABASE_URL: ${message}\n`,
    });
  });

  it("a database that does not exist, without printing the password", async () => {
    const { host } = new URL(server().url());
    expect(await failure(["--from", folder, "--to", `postgres://snap:hunter2@${host}/nowhere`])).toEqual({
      code: 1,
      stderr: `error: ${host}/nowhere: database "nowhere" does not exist; correct the database name, or create the database\n`,
    });
  });

  it("a database that a service with another key already uses", async () => {
    const url = await newDatabase();
    const storage = await openShared(url);
    await storage.pinKeyFingerprint("the fingerprint of another key");
    const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: SECRET_KEY });
    const account = await createAccount(engine);
    const { host, pathname } = new URL(url);
    expect(await failure(["--from", folder, "--to", url])).toEqual({
      code: 1,
      stderr: `error: ${host}${pathname}: the database already contains data (1 account); use an empty one\n`,
    });
    expect(await engine.accounts.list()).toEqual([account]);
    await engine.close();
  });

  it("a folder in use by a server, and a folder without a database", async () => {
    const url = await newDatabase();
    const engine = await openEmbedded(folder);
    expect(await failure(["--from", folder, "--to", url])).toEqual({
      code: 1,
      stderr: `error: ${folder}/snap.db is in use; stop the server and all commands that use it\n`,
    });
    const { stderr } = await workspace.run(["migrate", "--from", folder, "--to", url, "--json"]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "folder_in_use" } });
    await engine.close();
    const missing = join(workspace.directory, "nothing");
    expect(await failure(["--from", "nothing", "--to", url])).toEqual({
      code: 1,
      stderr: `error: ${missing} does not contain snap.db; set --from or SNAP_DATA_DIR to the service's folder\n`,
    });
    expect(await readdir(workspace.directory)).not.toContain("nothing");
  });

  it("a key that does not decrypt the signing secrets", async () => {
    const url = await newDatabase();
    const args = ["--from", folder, "--to", url];
    const other = { SNAP_SECRET_KEY: "a new key for the new machines" };
    expect(await failure(args, other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`SNAP_SECRET_KEY is not the key in ${folder}/secret.key`),
    });
    await writeFile(join(folder, "secret.key"), "the key of another folder");
    expect(await failure(args)).toEqual({
      code: 1,
      stderr:
        `error: the key in ${folder}/secret.key does not decrypt the signing secrets of 1 token (id 1); ` +
        "restore the right key, or unset SNAP_DATABASE_URL and replace these secrets with `snap-server secret-key replace --yes`\n",
    });
    await writeFile(join(folder, "secret.key"), SECRET_KEY);
    const usedUrl = await newDatabase();
    const used = await openPostgresTarget({ url: usedUrl });
    expect(await used.pinKeyFingerprint("of another key")).toBe(true);
    await used.close();
    expect(await failure(["--from", folder, "--to", usedUrl])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${folder}/secret.key is not the key that this database`),
    });
    const { code, stdout } = await workspace.run(["migrate", ...args], { SNAP_SECRET_KEY: SECRET_KEY });
    expect(code).toBe(0);
    expect(stdout).toContain("Next, set SNAP_SECRET_KEY on every machine to the value that it has here.");
  });
});

function createAccount({
  accounts,
}: Awaited<ReturnType<typeof openEmbedded>>): ReturnType<typeof accounts.create> {
  return accounts.create({ email: "ada@example.com", verified: true });
}

async function openEmbedded(directory: string): Promise<ReturnType<typeof createEngine>> {
  const storage = await openSqliteStorage({ directory });
  return createEngine({ storage, renderer: createFakeRenderer(), secretKey: SECRET_KEY });
}

/** Reads the seeded records through the ports. Refunds open reservations. */
async function readEverything(
  { accounts, tokens, ledger, batches, documents }: Storage,
  { accountIds, lastTokenId, reservationIds, batchIds, documentId }: SeededData,
): Promise<{
  readonly accounts: readonly unknown[];
  readonly resolutions: readonly string[];
  readonly batches: readonly Awaited<ReturnType<typeof batches.find>>[];
  readonly others: readonly unknown[];
}> {
  const all = <T, R>(values: readonly T[], read: (value: T) => Promise<R>): Promise<R[]> =>
    Promise.all(values.map(read));
  const now = Date.now() + 1_000_000_000;
  const others = [
    await all(
      Array.from({ length: lastTokenId + 2 }, (_, id) => id),
      (id) => tokens.find(id),
    ),
    await all(accountIds, (accountId) => ledger.journal({ accountId, limit: 1000 })),
    await all(accountIds, (id) => tokens.listByAccount(id)),
    await batches.dueItems({ now, limit: 100, exceptAccounts: [] }),
    await batches.dueDeliveries({ now, limit: 100, exceptAccounts: [] }),
    { ...(await batches.stats({ now: 0 })) },
    await all(accountIds, (accountId) => documents.find({ accountId, id: documentId, now: 0 })),
    await all(DOCUMENT.files, ({ path }) =>
      documents.readFile({ accountId: accountIds[0] ?? "", id: documentId, path, now: 0 }),
    ),
  ];
  const resolutions: string[] = [];
  for (const reservationId of reservationIds)
    resolutions.push(await ledger.refund({ reservationId, now: 1 }));
  return {
    accounts: await accounts.list(),
    resolutions,
    batches: await all(batchIds, (id) => batches.find(id)),
    others: [...others, await all(accountIds, (accountId) => ledger.journal({ accountId, limit: 1000 }))],
  };
}
