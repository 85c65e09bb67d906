import {
  BATCH_LIMITS,
  checkField,
  checkIdempotencyKey,
  PARAMETERS,
  ProblemList,
  REQUEST_HEADERS,
  significantEntries,
  type BatchItem,
  type RenderBatch,
  type RenderInput,
  type UrlSigner,
} from "@snap/protocol";
import { checkItems } from "../batches/check-items.ts";
import { etagOf, expiryOf, signedUrlOf, type Renders } from "./renders.ts";
import { errorOf, FailedRequest, rejectInvalid, rejectProblem } from "./responses.ts";

interface FakeBatch {
  readonly id: string;
  readonly createdMs: number;
  readonly webhookUrl: string | null;
  readonly inputs: readonly RenderInput[];
  readonly finished: BatchItem[];
  polls: number;
  finishedMs: number | null;
}

/** What the batches of the fake service need. */
export interface BatchContext {
  readonly renders: Renders;
  readonly signer: UrlSigner;
  readonly now: () => number;
  /** Number of polls that it takes to complete a batch; its items finish at an even pace. */
  readonly pollsPerBatch: number;
  /** Error codes of the items that fail, by URL. */
  readonly itemErrors: ReadonlyMap<string, string>;
}

/** The batches of the fake service. */
export class FakeBatches {
  readonly #context: BatchContext;
  readonly #batches = new Map<string, FakeBatch>();
  /** The submission and the batch of each idempotency key. */
  readonly #submissions = new Map<string, { readonly text: string; readonly batch: FakeBatch }>();

  constructor(context: BatchContext) {
    this.#context = context;
  }

  /** Returns the same batch for the same submission with the same key. */
  submit(document: object, idempotencyKey: string | null): RenderBatch {
    if (idempotencyKey !== null)
      rejectProblem(REQUEST_HEADERS.idempotencyKey, checkIdempotencyKey(idempotencyKey));
    rejectInvalid(checkSubmission(document).toFailure());
    const { items, webhookUrl = null } = document as {
      readonly items: readonly RenderInput[];
      readonly webhookUrl?: string | null;
    };
    const text = JSON.stringify([webhookUrl, items.map(significantEntries)]);
    const earlier = this.#submissions.get(idempotencyKey ?? "");
    if (earlier !== undefined && earlier.text !== text)
      throw new FailedRequest({ code: "idempotency_mismatch" });
    if (earlier !== undefined) return this.#documentOf(earlier.batch);
    const number = String(this.#batches.size + 1).padStart(24, "0");
    const batch: FakeBatch = {
      id: `batch_${number}`,
      createdMs: this.#context.now(),
      webhookUrl,
      inputs: items,
      finished: [],
      polls: 0,
      finishedMs: null,
    };
    this.#batches.set(batch.id, batch);
    if (idempotencyKey !== null) this.#submissions.set(idempotencyKey, { text, batch });
    return this.#documentOf(batch);
  }

  /** Returns the batch after one more poll. */
  poll(id: string): RenderBatch {
    const batch = this.#batches.get(id);
    if (batch === undefined) throw new FailedRequest({ code: "not_found" });
    const { pollsPerBatch, now } = this.#context;
    batch.polls += 1;
    const count = Math.floor((batch.inputs.length * Math.min(batch.polls, pollsPerBatch)) / pollsPerBatch);
    for (const [index, input] of batch.inputs.entries())
      if (index >= batch.finished.length && index < count)
        batch.finished.push(this.#finish(batch, index, input));
    if (batch.finished.length === batch.inputs.length) batch.finishedMs ??= now();
    return this.#documentOf(batch);
  }

  #finish(batch: FakeBatch, index: number, input: RenderInput): BatchItem {
    const { renders, signer, now, itemErrors } = this.#context;
    const item = itemWithoutResult(batch, index, "failed");
    try {
      const code = itemErrors.get(input.url);
      if (code !== undefined) throw new FailedRequest({ code });
      const { etag, contentType, isHit } = renders.render(input);
      const { notes, targetStatus } = renders.settings;
      const expiry = expiryOf(input, now());
      return {
        ...item,
        status: "done",
        etag,
        target_status: contentType === "application/pdf" ? null : targetStatus,
        expires_at: expiry.dateTime,
        signed_url: signedUrlOf(input, { ...signer, expires: expiry.seconds }),
        credit_cost: isHit ? 0 : 1,
        ...(notes.length > 0 && { notes }),
      };
    } catch (error) {
      if (!(error instanceof FailedRequest)) throw error;
      return { ...item, error: errorOf(error.failure), credit_cost: 0 };
    }
  }

  #documentOf(batch: FakeBatch): RenderBatch {
    const { id, createdMs, finishedMs, inputs, finished, polls, webhookUrl } = batch;
    const rest = inputs.slice(finished.length).map((_input, index) => {
      const status = polls > 0 && index === 0 ? "rendering" : "queued";
      return itemWithoutResult(batch, finished.length + index, status);
    });
    return {
      id,
      status: finishedMs === null ? "pending" : "complete",
      created_at: new Date(createdMs).toISOString(),
      finished_at: finishedMs === null ? null : new Date(finishedMs).toISOString(),
      prunes_at: new Date((finishedMs ?? createdMs) + BATCH_LIMITS.retentionMs).toISOString(),
      webhook: webhookUrl === null ? null : { url: webhookUrl, delivered_at: null },
      items: [...finished, ...rest],
    };
  }
}

function itemWithoutResult({ id, inputs }: FakeBatch, index: number, status: string): BatchItem {
  const empty = { error: null, etag: null, target_status: null, expires_at: null, signed_url: null };
  const itemId = `${id.replace("batch", "item")}_${index}`;
  return { id: itemId, url: inputs[index]?.url ?? "", status, ...empty, credit_cost: null };
}

/** Returns the problems that the service would find, except those that depend on its settings. */
function checkSubmission(document: object): ProblemList {
  const { items, webhookUrl, ...others } = document as Readonly<Record<string, unknown>>;
  const problems = new ProblemList();
  problems.addEach(Object.keys(others), () => "is not a batch field; use items and webhookUrl");
  if (Array.isArray(items) && items.length > 0 && items.length <= BATCH_LIMITS.items)
    addItemProblems(problems, items);
  else problems.add("items", `must be an array of 1 to ${BATCH_LIMITS.items} captures`);
  const urlProblem =
    webhookUrl === undefined || webhookUrl === null
      ? null
      : checkField(PARAMETERS.screenshot.url, webhookUrl);
  if (urlProblem !== null) problems.add("webhookUrl", urlProblem);
  return problems;
}

function addItemProblems(problems: ProblemList, items: readonly unknown[]): void {
  const invalid = checkItems(items).toFailure()?.errors ?? {};
  problems.addAll(invalid);
  const invalidIndexes = new Set(Object.keys(invalid).map((name) => name.split(".")[1]));
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const { cache, cacheTtl } = Object(item) as Readonly<Record<string, unknown>>;
    if (cache === false)
      problems.add(`items.${index}.cache`, "cannot be false in a batch; its renderings are fetched later");
    if (typeof cacheTtl === "number" && cacheTtl < BATCH_LIMITS.cacheTtlMinSeconds)
      problems.add(
        `items.${index}.cacheTtl`,
        `must be at least ${BATCH_LIMITS.cacheTtlMinSeconds} in a batch`,
      );
    if (invalidIndexes.has(String(index))) continue;
    const capture = etagOf(Object(item) as object);
    const first = seen.get(capture);
    if (first === undefined) seen.set(capture, index);
    else problems.add(`items.${index}`, `is the same capture as items.${first}`);
  }
}
