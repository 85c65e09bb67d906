import type { BatchRecord, TokenRecord, TransferPage } from "@snap/engine/ports";
import type { Query } from "../database.ts";
import { insertDocument } from "../stores/documents.ts";
import { claimableAtOf } from "../stores/batch-rows.ts";

/** Stores the records in their order. Requires a transaction. */
export async function insertPage(query: Query, page: TransferPage): Promise<void> {
  if (page.kind === "batches") return insertBatches(query, page.records);
  if (page.kind === "documents") {
    for (const record of page.records) await insertDocument(query, record);
    return;
  }
  const records = page.kind === "tokens" ? page.records.map(toTokenRow) : page.records;
  await query(INSERTS[page.kind], [JSON.stringify(records)]);
}

/** One statement for all records of a page, which are passed as one JSON array. */
const INSERTS = {
  accounts: insertInto("accounts", {
    id: "id TEXT",
    email: "email TEXT",
    emailVerifiedAt: "email_verified_at BIGINT",
    planSlug: "plan_slug TEXT",
    creditsPerPeriod: "credits_per_period BIGINT",
    requestsPerMinute: "requests_per_minute BIGINT",
    createdAt: "created_at BIGINT",
    suspendedAt: "suspended_at BIGINT",
    deletionStartedAt: "deletion_started_at BIGINT",
  }),
  tokens: insertInto("tokens", {
    id: "id BIGINT",
    accountId: "account_id TEXT",
    abilities: "abilities TEXT",
    secretHash: "secret_hash BYTEA",
    sealedSigningSecret: "sealed_signing_secret BYTEA",
    createdAt: "created_at BIGINT",
    expiresAt: "expires_at BIGINT",
    rotatedAt: "rotated_at BIGINT",
    name: "name TEXT",
    lastUsedAt: "last_used_at BIGINT",
    previousSecretHash: "previous_secret_hash BYTEA",
    previousSealedSigningSecret: "previous_sealed_signing_secret BYTEA",
    previousEndsAt: "previous_ends_at BIGINT",
  }),
  balances: insertInto("balances", {
    accountId: "account_id TEXT",
    periodStartedAt: "period_started_at BIGINT",
    granted: "granted BIGINT",
    used: "used BIGINT",
    reserved: "reserved BIGINT",
  }),
  reservations: insertInto("reservations", {
    id: "id TEXT",
    accountId: "account_id TEXT",
    periodStartedAt: "period_started_at BIGINT",
    lapsesAt: "lapses_at BIGINT",
    state: "state TEXT",
  }),
  journal: insertInto("journal", {
    accountId: "account_id TEXT",
    periodStartedAt: "period_started_at BIGINT",
    kind: "kind TEXT",
    credits: "credits BIGINT",
    reservationId: "reservation_id TEXT",
    at: "at BIGINT",
  }),
  idempotencyKeys: insertInto("idempotency_keys", {
    accountId: "account_id TEXT",
    keyHash: "key_hash TEXT",
    digest: "digest TEXT",
    expiresAt: "expires_at BIGINT",
    batchId: "batch_id TEXT",
  }),
};

const INSERT_BATCHES = insertInto("batches", {
  id: "id TEXT",
  accountId: "account_id TEXT",
  tokenId: "token_id BIGINT",
  webhookUrl: "webhook_url TEXT",
  createdAt: "created_at BIGINT",
  finishedAt: "finished_at BIGINT",
  prunesAt: "prunes_at BIGINT",
});

const INSERT_ITEMS = `INSERT INTO snap.batch_items (batch, account_id, position, id, key, parameters, state, status, claimable_at)
  SELECT sequence, account_id, position, item.id, key, parameters, state, status, "claimableAt"
  FROM json_to_recordset($1::JSON) AS item ("batchId" TEXT, position INTEGER, id TEXT, key TEXT, parameters TEXT,
    state TEXT, status TEXT, "claimableAt" BIGINT) JOIN snap.batches ON batches.id = "batchId"`;

const INSERT_DELIVERIES = `INSERT INTO snap.deliveries (batch, account_id, state, claimable_at)
  SELECT sequence, account_id, state, "claimableAt"
  FROM json_to_recordset($1::JSON) AS delivery ("batchId" TEXT, state TEXT, "claimableAt" BIGINT)
    JOIN snap.batches ON batches.id = "batchId"`;

async function insertBatches(query: Query, batches: readonly BatchRecord[]): Promise<void> {
  const items = batches.flatMap(({ id: batchId, items: all }) =>
    all.map(({ id, key, parameters, state }, position) => ({
      batchId,
      position,
      id,
      key,
      parameters: JSON.stringify(parameters),
      state: JSON.stringify(state),
      status: state.status,
      claimableAt: claimableAtOf(state),
    })),
  );
  const deliveries = batches.flatMap(({ id: batchId, delivery }) =>
    delivery === null
      ? []
      : [{ batchId, state: JSON.stringify(delivery), claimableAt: claimableAtOf(delivery) }],
  );
  await query(INSERT_BATCHES, [JSON.stringify(batches.map(toBatchRow))]);
  await query(INSERT_ITEMS, [JSON.stringify(items)]);
  await query(INSERT_DELIVERIES, [JSON.stringify(deliveries)]);
}

function toBatchRow(batch: BatchRecord): Omit<BatchRecord, "items" | "delivery"> {
  const { items: _, delivery: __, ...row } = batch;
  return row;
}

function toTokenRow({ abilities, previous, ...token }: TokenRecord): Readonly<Record<string, unknown>> {
  return {
    ...token,
    abilities: abilities.join(" "),
    previousSecretHash: previous?.secretHash,
    previousSealedSigningSecret: previous?.sealedSigningSecret,
    previousEndsAt: previous?.endsAt,
  };
}

/** @param fields The column and type of each field; bytes are passed as hex. */
function insertInto(table: string, fields: Readonly<Record<string, `${string} ${string}`>>): string {
  const columns = Object.entries(fields).map(([field, text]) => {
    const [column = "", type = ""] = text.split(" ");
    return type === "BYTEA"
      ? { column, read: `"${field}" TEXT`, value: `decode("${field}", 'hex')` }
      : { column, read: `"${field}" ${type}`, value: `"${field}"` };
  });
  const list = (part: keyof (typeof columns)[number]): string =>
    columns.map((column) => column[part]).join(", ");
  // sorted, so identity columns are numbered in the order of the records
  return `INSERT INTO snap.${table} (${list("column")}) OVERRIDING SYSTEM VALUE
    SELECT ${list("value")} FROM ROWS FROM (json_to_recordset($1::JSON) AS (${list("read")})) WITH ORDINALITY
    ORDER BY ordinality`;
}
