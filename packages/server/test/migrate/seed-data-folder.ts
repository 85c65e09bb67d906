import { createEngine, SnapError, type Engine, type MintedToken, type Storage } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer, createFakeResolver, createFakeWebhookSender } from "@snap/testing";

export const SECRET_KEY = "a key for these tests";
export const RESOLVER = createFakeResolver({ "example.com": ["93.184.215.14"] });

/** Contents of a seeded data folder. */
export interface SeededData {
  /** Tokens that work. */
  readonly minted: readonly MintedToken[];
  readonly accountIds: readonly string[];
  /** The highest id; that token is revoked. */
  readonly lastTokenId: number;
  readonly reservationIds: readonly string[];
  readonly batchIds: readonly string[];
  /** Id of the first account's document. */
  readonly documentId: string;
  /** A batch with a webhook and two queued items. */
  readonly unfinishedBatchId: string;
}

const HOUR_MS = 3_600_000;

/** A document of the first account. */
export const DOCUMENT = {
  files: [
    { path: "index.html", bytes: "<p>Hello</p>" },
    { path: "a/é.bin", bytes: new Uint8Array([0, 255, 13, 10, 0]) },
  ],
} as const;
const MONTH_MS = 31 * 24 * HOUR_MS;

/**
 * Seeds an embedded storage with every kind of record that is moved, mostly through the engine.
 */
export async function seedDataFolder(directory: string): Promise<SeededData> {
  const storage = await openSqliteStorage({ directory });
  const renderer = createFakeRenderer();
  const webhookSender = createFakeWebhookSender();
  const engine = createEngine({
    storage,
    renderer,
    webhookSender,
    secretKey: SECRET_KEY,
    resolver: RESOLVER,
    webhookRetryDelaysMs: [HOUR_MS],
  });
  await makeAccounts(engine, storage);
  const accountIds = (await engine.accounts.list()).map(({ id }) => id);
  const minted = await makeTokens(engine, accountIds[0] ?? "");
  const [owner] = minted;
  if (owner === undefined) throw new Error("no token was created");
  const principal = await engine.authenticate(owner.token);

  await engine.capture({ principal, parameters: { url: "https://example.com/" } });
  await engine.capture({ principal, parameters: { url: "https://example.com/", pdf: true } });
  renderer.failNext(new SnapError("render_timeout", "too slow"));
  await engine.capture({ principal, parameters: { url: "https://example.com/slow" } }).catch(() => {});
  const { id: documentId } = await engine.documents.create({ principal, content: DOCUMENT });
  const reservationIds = await makeReservations(storage, principal.account.id);

  const submit = async (paths: readonly string[], webhookUrl?: string): Promise<string> => {
    const items = paths.map((path) => ({ url: `https://example.com/${path}` }));
    const document = { items, ...(webhookUrl && { webhookUrl }) };
    return (await engine.batches.submit({ principal, document, idempotencyKey: paths.join() })).id;
  };
  const webhookUrl = "https://example.com/hook";
  const delivered = await submit(["1", "bücher?q=%00&q=\u{1F4DA}"], webhookUrl);
  const worker = engine.startWorker();
  await webhookSender.whenSent(1);
  webhookSender.returnNext({ kind: "responded", status: 500, retryAfterMs: null, body: "" });
  renderer.failNext(new SnapError("render_failed", "nothing to see"));
  const refused = await submit(["2", "3"], webhookUrl);
  await webhookSender.whenSent(2);
  await worker.stop();
  const silent = await submit(["4"]);
  const unfinishedBatchId = await submit(["5", "6"], webhookUrl);
  const lastTokenId = Math.max(...(await tokenIds(engine, accountIds))) + 1;
  await engine.close();
  return {
    minted,
    accountIds,
    lastTokenId,
    reservationIds,
    documentId,
    batchIds: [delivered, refused, silent, unfinishedBatchId],
    unfinishedBatchId,
  };
}

async function makeAccounts(engine: Engine, { accounts }: Storage): Promise<void> {
  await engine.accounts.create({ email: "ada@example.com", planSlug: "growth", verified: true });
  await engine.accounts.create({ email: "Unverified@Example.com", verified: false });
  await engine.accounts.create({
    email: "overridden@example.com",
    planSlug: "starter",
    creditsPerPeriod: 0,
    requestsPerMinute: 1_000_000_000,
    verified: true,
  });
  const unicode = ["ÄDA@exämple.com", "äda@exämple.com", "\u{1F4F7}'\"\\@例え.jp", "İ@example.com"];
  for (const [index, email] of unicode.entries())
    await accounts.insert({
      // Ids whose order is neither the order of creation nor any collation's.
      id: `acct_${"Zz_9".charAt(index)}`,
      email,
      emailVerifiedAt: null,
      planSlug: "a removed plan",
      creditsPerPeriod: null,
      requestsPerMinute: null,
      createdAt: 1_700_000_000_000 - index,
      suspendedAt: null,
      deletionStartedAt: null,
    });
}

/** A plain, a restricted and a rotated token, and finally a revoked one. */
async function makeTokens({ tokens }: Engine, accountId: string): Promise<MintedToken[]> {
  const plain = await tokens.create({ accountId });
  const restricted = await tokens.create({ accountId, abilities: ["pdf"], expiresAt: Date.now() + MONTH_MS });
  const old = await tokens.create({ accountId });
  const rotated = await tokens.rotate(old.record.id);
  const revoked = await tokens.create({ accountId });
  await tokens.revoke(revoked.record.id);
  return [plain, restricted, rotated];
}

/** In two periods of an account: one reservation for each outcome. */
async function makeReservations({ ledger }: Storage, accountId: string): Promise<string[]> {
  const now = Date.now();
  const ids: string[] = [];
  for (const startedAt of [now - 3 * MONTH_MS, now - 2 * MONTH_MS]) {
    const grant = { accountId, period: { startedAt, resetsAt: startedAt + MONTH_MS }, granted: 4 };
    for (const outcome of ["settle", "refund", "reverse", "lapse", "open", "spare", "refused"] as const) {
      const reservationId = `${startedAt}-${outcome}`;
      ids.push(reservationId);
      const lapsesAt = outcome === "lapse" ? startedAt + 2 : now + HOUR_MS;
      await ledger.reserve({ ...grant, reservationId, now: startedAt + 1, lapsesAt });
      if (outcome === "settle" || outcome === "reverse")
        await ledger.settle({ reservationId, now: startedAt + 1 });
      if (outcome === "refund" || outcome === "reverse")
        await ledger[outcome]({ reservationId, now: startedAt + 1 });
    }
    await ledger.balance({ ...grant, granted: 7, now: startedAt + 3 });
  }
  return ids;
}

async function tokenIds(engine: Engine, accountIds: readonly string[]): Promise<number[]> {
  const lists = await Promise.all(accountIds.map((id) => engine.tokens.list(id)));
  return lists.flat().map(({ id }) => id);
}
