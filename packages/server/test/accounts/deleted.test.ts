import { createEngine, type Account, type Engine, type MintedToken, type Storage } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import {
  createFakeRenderer,
  createFakeResolver,
  createFakeWebhookSender,
  type FakeRenderer,
} from "@snap/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const CHILD_SCRIPT = fileURLToPath(new URL("delete-child.ts", import.meta.url));

interface Opened {
  readonly directory: string;
  readonly storage: Storage;
  readonly engine: Engine;
  readonly renderer: FakeRenderer;
}

async function open(directory?: string): Promise<Opened> {
  const folder = directory ?? (await mkdtemp(join(tmpdir(), "snap-deleted-")));
  const renderer = createFakeRenderer();
  const storage = await openSqliteStorage({ directory: folder });
  const engine = createEngine({
    storage,
    renderer,
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    webhookSender: createFakeWebhookSender(),
    baseUrl: "https://snap.example.com/v1",
    secretKey: "a key for this test",
  });
  onTestFinished(async () => {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { directory: folder, storage, engine, renderer };
}

interface Customer {
  readonly account: Account;
  readonly minted: MintedToken;
}

/** Creates an account with renderings, a batch and a document; all contain `name`. */
async function createCustomer({ engine }: Opened, name: string, renderings = 3): Promise<Customer> {
  const account = await engine.accounts.create({
    email: `${name}@example.com`,
    planSlug: "scale",
    verified: true,
  });
  const minted = await engine.tokens.create({ accountId: account.id });
  const principal = await engine.authenticate(minted.token);
  for (let page = 0; page < renderings; page += 1)
    await engine.capture({ principal, parameters: { url: `https://example.com/${name}/${page}` } });
  const items = [{ url: `https://example.com/${name}/batch` }];
  const submission = { items, webhookUrl: `https://hooks.example.com/${name}` };
  await engine.batches.submit({ principal, document: submission });
  await engine.documents.create({ principal, content: { html: `<p>${name}</p>` } });
  return { account, minted };
}

/** Returns the names of the files in the directory that contain any of the texts. */
async function filesWith(directory: string, ...texts: readonly (string | Buffer)[]): Promise<string[]> {
  const found = new Set<string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    if (texts.some((text) => bytes.includes(text))) found.add(entry.name);
  }
  return [...found].toSorted();
}

function tracesOf({ account, minted: { record } }: Customer, name: string): readonly (string | Buffer)[] {
  const secrets = [record.secretHash, record.sealedSigningSecret].map((hex) => Buffer.from(hex, "hex"));
  return [name, account.email, ...secrets];
}

async function countRenderingFiles(directory: string): Promise<number> {
  return (await readdir(join(directory, "snap.db-renderings"))).length;
}

describe("a deleted account", () => {
  it("leaves only its journal, filed under its id; with purge, nothing", async () => {
    const opened = await open();
    const { directory, engine } = opened;
    const other = await createCustomer(opened, "grace-hopper");
    const customer = await createCustomer(opened, "ada-lovelace", 30);
    const { id } = customer.account;
    const traces = tracesOf(customer, "ada-lovelace");
    for (const trace of traces) expect(await filesWith(directory, trace)).not.toEqual([]);

    const deleted = { id, tokens: 1, batches: 1, documents: 1, renderings: 30, requests: 0 };
    expect(await engine.accounts.delete(id)).toEqual({ ...deleted, journalEntries: null });
    expect(await filesWith(directory, ...traces)).toEqual([]);
    expect(await filesWith(directory, id)).not.toEqual([]);
    expect(await countRenderingFiles(directory)).toBe(3);

    const purged = { ...deleted, tokens: 0, batches: 0, documents: 0, renderings: 0, journalEntries: 61 };
    expect(await engine.accounts.delete(id, { purge: true })).toEqual(purged);
    expect(await filesWith(directory, id)).toEqual([]);
    expect(await engine.accounts.list()).toMatchObject([{ id: other.account.id }]);
    await expect(engine.authenticate(other.minted.token)).resolves.toMatchObject({ account: other.account });
    await expect(engine.authenticate(customer.minted.token)).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  it.each([
    ["without purge", false, 1],
    ["with purge", true, 0],
  ])("leaves no trace of running renders, which still succeed: %s", async (_, purge, cost) => {
    const opened = await open();
    const { directory, engine, renderer } = opened;
    const customer = await createCustomer(opened, "in-flight");
    const { id } = customer.account;
    const principal = await engine.authenticate(customer.minted.token);
    const release = renderer.hold();
    const called = renderer.calls.length;
    const url = "https://example.com/in-flight/held";
    const captures = [
      engine.capture({ principal, parameters: { url } }),
      engine.capture({ principal, parameters: { url, cache: false }, linked: () => true }),
    ];
    await renderer.whenCalled(called + 2);
    await engine.accounts.delete(id, { purge });
    release();
    for (const { rendering, creditCost } of await Promise.all(captures)) {
      expect(rendering.bytes.byteLength).toBeGreaterThan(0);
      expect(creditCost).toBe(cost);
    }
    // a request that starts after the deletion is rejected, even if it was authenticated before
    const late = engine.capture({ principal, parameters: { url: `${url}/late` } });
    await expect(late).rejects.toMatchObject({ code: "rate_limited" });
    const traces = [...tracesOf(customer, "in-flight"), ...(purge ? [id] : [])];
    expect(await filesWith(directory, ...traces)).toEqual([]);
    expect(await countRenderingFiles(directory)).toBe(0);
  });

  it("leaves no trace of a batch that a worker is rendering", async () => {
    const opened = await open();
    const { directory, engine, renderer } = opened;
    const release = renderer.hold();
    const customer = await createCustomer(opened, "batch-in-flight", 0);
    engine.startWorker();
    await renderer.whenCalled(1);
    await engine.accounts.delete(customer.account.id, { purge: true });
    release();
    await engine.close();
    const traces = [customer.account.id, ...tracesOf(customer, "batch-in-flight")];
    expect(await filesWith(directory, ...traces)).toEqual([]);
    expect(await countRenderingFiles(directory).catch(() => 0)).toBe(0);
  });

  it("leaves no trace after the next sweep, even if the deletion is killed repeatedly", async () => {
    const opened = await open();
    const { directory, storage, engine } = opened;
    const customer = await createCustomer(opened, "ada-lovelace", 40);
    const { id } = customer.account;
    const deleteUntilKilled = async (killBefore: string | number): Promise<unknown> => {
      const child = spawn(process.execPath, [CHILD_SCRIPT, directory, id, `${killBefore}`], {
        stdio: "inherit",
      });
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      return code ?? signal;
    };
    expect(await deleteUntilKilled("rendering")).toBe("SIGKILL");
    let kills = 0;
    let killBefore = 1;
    let exitStatus = await deleteUntilKilled(killBefore);
    for (; exitStatus === "SIGKILL"; exitStatus = await deleteUntilKilled(killBefore)) {
      kills += 1;
      killBefore *= 3;
    }
    expect(exitStatus).toBe(0);
    expect(kills).toBeGreaterThan(3);
    expect(await filesWith(directory, id, ...tracesOf(customer, "ada-lovelace"))).toEqual([]);
    expect(await engine.accounts.list()).toEqual([]);
    // a file whose row was deleted just before a kill is deleted by the next hourly sweep
    expect(await countRenderingFiles(directory)).toBeGreaterThan(0);
    await storage.renderings.prune({ now: Date.now() + 3_600_000, limit: 1 });
    expect(await countRenderingFiles(directory)).toBe(0);
  });
});
