import { modeOf, type RenderBatch } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { randomHex } from "../ids.ts";
import { enforceRateLimit } from "../limits/enforce-rate-limit.ts";
import type {
  AttemptFilter,
  AttemptPage,
  BatchFilter,
  BatchRecord,
  BatchStats,
  BatchSummary,
  ItemRecord,
} from "../ports/batches.ts";
import type { Page, PageRequest } from "../ports/page.ts";
import type { Random } from "../ports/random.ts";
import type { Account } from "../ports/accounts.ts";
import type { Principal } from "../ports/tokens.ts";
import { requireAbility, requireVerifiedEmail } from "../tokens/authorize.ts";
import type { BatchDependencies } from "./batch-dependencies.ts";
import { isPruned } from "./batch-machine.ts";
import { batchNotFound, redeliver, resend } from "./redeliver.ts";
import { describeBatch } from "./render-batch.ts";
import { testWebhook, type WebhookTest } from "./test-webhook.ts";
import { sealSecrets } from "./item-secrets.ts";
import { createClaim, idempotencyMismatch } from "./idempotency.ts";
import { parseSubmission, type SubmittedItem } from "./parse-submission.ts";

/** A batch of the caller's account. */
interface OwnBatch {
  readonly principal: Principal;
  readonly batchId: string;
}

/** Captures that are submitted together and fetched later. */
export interface Batches {
  /**
   * Queues 1 to 20 captures for a worker. If one item is invalid, the whole submission is rejected and doesn't count
   * against any limit.
   *
   * @param document the body of `POST /renders`: `{ items: [{ url, … }], webhookUrl? }`.
   * @param idempotencyKey any text. For 24 hours, or until its batch is deleted, an equal submission of the account
   * with the same key queues nothing, and returns that batch in its current state.
   * @throws SnapError `validation_failed`, `blocked_host`, `email_unverified`, `missing_ability`,
   * `rate_limited` (10 submissions a minute), `idempotency_mismatch` if the key belongs to a different submission.
   */
  submit(submission: {
    readonly principal: Principal;
    readonly document: unknown;
    readonly idempotencyKey?: string | undefined;
  }): Promise<RenderBatch>;
  /**
   * Returns the batch's current state. Free of charge, and not rate-limited.
   * @throws SnapError `email_unverified`; `not_found` if the batch is unknown, was deleted or belongs to another
   * account.
   */
  get(request: OwnBatch): Promise<RenderBatch>;
  /**
   * Returns the account's batches, most recently submitted first. Free of charge, and not rate-limited.
   * @throws SnapError as `get` does; `not_found` if `after` is not one of the account's batches.
   */
  list(request: { readonly principal: Principal } & PageRequest): Promise<Page<BatchSummary>>;
  /**
   * Returns the latest attempts to deliver a batch's webhook, newest first. Free of charge, and not rate-limited.
   * @throws SnapError as `get` does.
   */
  attempts(request: OwnBatch & PageRequest): Promise<AttemptPage>;
  /**
   * Makes a finished batch's webhook due again, as `redeliver` does. Counts as a submission.
   * @throws SnapError as `get` does; `rate_limited`; `validation_failed` if the webhook cannot be sent.
   */
  resend(request: OwnBatch): Promise<RenderBatch>;
  /** Returns a batch's stored record, for the operator; `null` if it does not exist. */
  inspect(batchId: string): Promise<BatchRecord | null>;
  /**
   * Returns the selected batches, most recently submitted first, for the operator.
   * @throws AdminError if `after` is not a batch.
   */
  page(request: PageRequest & BatchFilter): Promise<Page<BatchSummary>>;
  /**
   * Makes a finished batch's webhook due again, whether it was delivered, was abandoned or is waiting for its next
   * attempt. A worker sends it with the same id and a new signature. If it was delivered or abandoned, the attempts
   * start over.
   * @throws AdminError if the batch is unknown, or its webhook cannot be sent.
   */
  redeliver(batchId: string): Promise<BatchRecord>;
  /**
   * Sends a signed test event to a receiver, without a render: the batch document of a finished batch, with
   * `test: true` and no items. The rules for targets and the time limit are those of real deliveries; nothing is stored
   * or retried.
   * @throws AdminError if the token is unknown, the secret key cannot decrypt its signing secret, or the URL is malformed.
   */
  testWebhook(tokenId: number, receiver: { readonly url: string }): Promise<WebhookTest>;
  /** Returns the selected delivery attempts, newest first, for the operator; none if `after` is unknown. */
  attemptPage(request: PageRequest & AttemptFilter): Promise<AttemptPage>;
  stats(): Promise<BatchStats>;
}

export function createBatches(dependencies: BatchDependencies): Batches {
  const { batches, rateLimiter, clock } = dependencies;
  const findOwn = async ({ principal: { account }, batchId }: OwnBatch): Promise<BatchRecord> => {
    requireVerifiedEmail(account);
    const batch = await batches.find(batchId);
    if (batch === null || batch.accountId !== account.id || isPruned(batch, clock.now()))
      throw new SnapError("not_found", "Batch not found: the id is unknown, or the batch was deleted.");
    return batch;
  };
  const countSubmission = async ({ id: accountId }: Account): Promise<void> => {
    await enforceRateLimit(rateLimiter, { accountId, name: "submission", now: clock.now() });
  };
  return {
    async submit({ principal: { account, token }, document, idempotencyKey }) {
      requireVerifiedEmail(account);
      const submission = parseSubmission(document, { ...dependencies, accountId: account.id });
      const { items, webhookUrl } = submission;
      for (const { parameters } of items) requireAbility(token, modeOf(parameters));
      await countSubmission(account);
      const now = clock.now();
      const batch: BatchRecord = {
        id: makeId(dependencies.random, "batch"),
        accountId: account.id,
        tokenId: token.id,
        webhookUrl,
        createdAt: now,
        finishedAt: null,
        prunesAt: null,
        items: items.map((item) => toItemRecord(dependencies, { item, now })),
        delivery: null,
      };
      const claim =
        idempotencyKey === undefined
          ? undefined
          : createClaim(dependencies, { idempotencyKey, submission, now });
      const holder = await batches.insert(batch, claim);
      if (holder === null) dependencies.onSubmitted();
      else if (holder.digest !== claim?.digest) throw idempotencyMismatch();
      return describeBatch(dependencies, { batch: holder?.batch ?? batch, token });
    },
    async get(request) {
      const batch = await findOwn(request);
      return describeBatch(dependencies, { batch, token: request.principal.token });
    },
    async list({ principal, after, limit }) {
      const { account } = principal;
      requireVerifiedEmail(account);
      if (after !== undefined) await findOwn({ principal, batchId: after });
      return batches.page({ accountId: account.id, after, limit });
    },
    async attempts({ after, limit, ...own }) {
      const { id: batchId } = await findOwn(own);
      return batches.attempts({ batchId, after, limit });
    },
    async resend(request) {
      const { account, token } = request.principal;
      const found = await findOwn(request);
      await countSubmission(account);
      const batch = await resend(dependencies, found);
      return describeBatch(dependencies, { batch, token });
    },
    inspect: (batchId) => batches.find(batchId),
    async page(request) {
      const { after } = request;
      // a page after an unknown batch would be empty, like one past the end of the list
      if (after !== undefined && (await batches.find(after)) === null) throw batchNotFound(after);
      return batches.page(request);
    },
    redeliver: (batchId) => redeliver(dependencies, batchId),
    testWebhook: (tokenId, { url }) => testWebhook(dependencies, { tokenId, url }),
    attemptPage: (request) => batches.attempts(request),
    stats: () => batches.stats({ now: clock.now() }),
  };
}

function toItemRecord(
  { random, seal, cacheKey }: BatchDependencies,
  { item: { sent, parameters }, now }: { readonly item: SubmittedItem; readonly now: number },
): ItemRecord {
  return {
    id: makeId(random, "item"),
    parameters: sealSecrets(sent, seal),
    key: cacheKey(parameters),
    state: { status: "queued", dueAt: now, starts: 0, fence: 0, limitedSince: null },
  };
}

function makeId(random: Random, kind: "batch" | "item"): string {
  return `${kind}_${randomHex(random, 12)}`;
}
