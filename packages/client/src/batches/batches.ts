import {
  REQUEST_HEADERS,
  toQuery,
  type AdminList,
  type BatchItem,
  type BatchItemInput,
  type BatchSummaryDocument,
  type DeliveryAttemptDocument,
  type RenderBatch,
  type RenderInput,
  type ValidBatchItem,
} from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { readHeaders, readId, readUrl } from "../read-options.ts";
import type { DownloadOptions, FileForm, Rendering } from "../results/rendering.ts";
import type { Pacing } from "../sending/time.ts";
import { readJson } from "../sending/read-json.ts";
import type { CallOptions, SendToService, ServiceCall } from "../sending/send.ts";
import { requireObject, throwIfInvalid } from "../sending/throw-if-invalid.ts";
import { checkItems } from "./check-items.ts";
import { countFinished, isFinished, watchBatch, type WatchOptions } from "./watch-batch.ts";

/** A batch to submit. */
export interface BatchInput {
  /** 1 to 20 captures, no two of them the same; a `cacheTtl` is at least 3600. */
  readonly items: readonly BatchItemInput[];
  /** Receives the complete batch as a signed POST; see `verifyWebhook`. */
  readonly webhookUrl?: string | undefined;
}

/** A batch whose items are valid as far as the compiler can tell. */
interface ValidBatch<Items extends readonly RenderInput[]> extends Omit<BatchInput, "items"> {
  readonly items: { readonly [Index in keyof Items]: ValidBatchItem<Items[Index]> };
}

/** The progress of a batch. */
export interface BatchProgress {
  /** Items that are done or failed. */
  readonly finished: number;
  readonly total: number;
  readonly batch: RenderBatch;
}

export interface WaitOptions extends WatchOptions {
  /**
   * Called with each state of the batch, the first one included. `finished` never decreases. The wait continues once a
   * returned promise resolves.
   */
  readonly onProgress?: ((progress: BatchProgress) => unknown) | undefined;
}

export interface SubmitOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters that identify the submission, such as an order number. For 24 hours,
   * or until the batch is deleted, submitting the same batch with the same key returns the first one, from any
   * process. Random by default.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Selects a page of a list. */
export interface ListOptions extends CallOptions {
  /**
   * Maximum number of entries, up to 200.
   * @default 50
   */
  readonly limit?: number | undefined;
  /** Id of the last entry on the previous page. */
  readonly after?: string | undefined;
}

/** A page of an account's batches; `has_more` is `true` if another follows. */
export type BatchList = AdminList<BatchSummaryDocument>;
/** A page of a webhook's delivery attempts. */
export type DeliveryList = AdminList<DeliveryAttemptDocument>;

export interface Batches {
  /**
   * Queues 1 to 20 captures and returns without waiting for them.
   *
   * A retry queues nothing twice, because the submission is sent with an idempotency key.
   *
   * @throws SnapError `validation_failed` with keys such as `items.2.quality`; `idempotency_mismatch` if
   * `idempotencyKey` was used for another submission.
   * @example
   * const batch = await snap.batches.submit({
   *   items: [{ url: "https://example.com" }, { url: "https://example.com", pdf: true }],
   *   webhookUrl: "https://app.example.com/snap-webhook",
   * });
   */
  submit<const Items extends readonly RenderInput[] = readonly RenderInput[]>(
    batch: ValidBatch<Items>,
    options?: SubmitOptions,
  ): Promise<RenderBatch>;

  /**
   * Returns the current state of the batch.
   *
   * @throws SnapError `not_found` if the batch does not exist, belongs to another account, or was deleted (by default
   * 7 days after it finished).
   */
  get(id: string, options?: CallOptions): Promise<RenderBatch>;

  /**
   * Returns the account's batches, newest first.
   *
   * @throws SnapError `not_found` if `after` is not one of the account's batches.
   * @example
   * const { entries, has_more: hasMore } = await snap.batches.list({ limit: 20 });
   * if (hasMore) console.log((await snap.batches.list({ after: entries.at(-1)?.id })).entries);
   */
  list(options?: ListOptions): Promise<BatchList>;

  /**
   * Returns the latest attempts to deliver a batch's webhook, newest first.
   *
   * @throws SnapError `not_found`, like `get`.
   * @example
   * const [latest] = (await snap.batches.deliveries("batch_…")).entries;
   * if (latest?.delivered === false) console.error(latest.status ?? latest.failure, latest.body);
   */
  deliveries(id: string, options?: ListOptions): Promise<DeliveryList>;

  /**
   * Sends a complete batch's webhook again, with the same id and a new signature. Counts as a submission.
   *
   * Not retried after a lost connection, because the service may already be sending it.
   *
   * @throws SnapError `not_found`, like `get`; `validation_failed` if the webhook cannot be sent.
   */
  resend(id: string, options?: CallOptions): Promise<RenderBatch>;

  /**
   * Polls until every item is done or failed. Does not throw for a failed item; check its `error`. Continues after a
   * temporary failure: a lost connection, a poll that times out, or a response such as a proxy's 502 page.
   *
   * @throws SnapError `timed_out` after `timeoutMs`, with the last poll's failure, if any, as its
   * `cause`; a permanent error, such as `not_found`, immediately; `aborted`.
   * @example
   * const { items } = await snap.batches.wait(batch, {
   *   onProgress: ({ finished, total }) => console.log(`${finished} of ${total}`),
   * });
   */
  wait(batchOrId: string | RenderBatch, options?: WaitOptions): Promise<RenderBatch>;

  /**
   * Yields each item once, when it is done or failed. Polls like `wait`.
   *
   * @example
   * for await (const item of snap.batches.items(batch)) {
   *   if (item.status === "failed") console.error(item.url, item.error?.code);
   *   else console.log(item.url, (await snap.batches.download(item)).bytes.byteLength);
   * }
   */
  items(batchOrId: string | RenderBatch, options?: WatchOptions): AsyncGenerator<BatchItem, void, undefined>;

  /**
   * Downloads an item's rendering from its signed URL, without sending the token.
   *
   * @throws SnapError `no_signed_url` if the item has no signed URL: it is not done, its rendering is no
   * longer cached, or a signed URL cannot request it, because a parameter is secret, the parameters are too
   * long, or the token lacks the permission. Once it is done, the identical request with `screenshot()` or
   * `pdf()` is free while the rendering is cached.
   */
  download<A extends FileForm = "bytes">(
    item: BatchItem,
    options?: DownloadOptions<A>,
  ): Promise<Rendering<A>>;
}

/** What batches need from the client, besides requests. */
export interface BatchTransport {
  readonly fetchRendering: <A extends FileForm>(
    url: string,
    options: DownloadOptions<A>,
  ) => Promise<Rendering<A>>;
  readonly pacing: Pacing;
}

const readBatch = readJson<RenderBatch>("items");

export function createBatches(request: SendToService, { fetchRendering, pacing }: BatchTransport): Batches {
  const call = (
    path: string,
    options?: CallOptions,
    { body, idempotencyKey }: Pick<ServiceCall<RenderBatch>, "body" | "idempotencyKey"> = {},
  ): Promise<RenderBatch> => {
    // without a key, a retried POST could do its work twice
    const retryIsFree = body === undefined || idempotencyKey !== undefined;
    return request(path, { body, idempotencyKey, retryIsFree, read: readBatch }, options);
  };
  const list = <Entry>(path: string, options?: ListOptions): Promise<AdminList<Entry>> =>
    request(
      `${path}?${String(toQuery({ limit: options?.limit, after: options?.after }))}`,
      { retryIsFree: true, read: readJson<AdminList<Entry>>("entries") },
      options,
    );
  const get: Batches["get"] = async (id, options) => call(pathOf(id), options);
  const source = { get, pacing };
  return {
    async submit(batch, { idempotencyKey: key, ...options } = {}) {
      const idempotencyKey = key ?? randomKey();
      // JavaScript callers can pass anything; the service checks the rest
      if (Array.isArray(requireObject(batch).items)) throwIfInvalid(checkItems(batch.items).toFailure());
      readHeaders("idempotencyKey", { [REQUEST_HEADERS.idempotencyKey]: idempotencyKey });
      return call("/renders", options, { body: JSON.stringify(batch), idempotencyKey });
    },
    get,
    list: async (options) => list("/renders", options),
    deliveries: async (id, options) => list(`${pathOf(id)}/deliveries`, options),
    resend: async (id, options) => call(`${pathOf(id)}/deliveries`, options, { body: "" }),
    async wait(batchOrId, { onProgress, ...options } = {}) {
      // watchBatch yields at least once
      let latest!: RenderBatch;
      for await (latest of watchBatch(source, batchOrId, options)) {
        await onProgress?.({ finished: countFinished(latest), total: latest.items.length, batch: latest });
      }
      return latest;
    },
    async *items(batchOrId, options = {}) {
      const seen = new Set<string>();
      for await (const { items } of watchBatch(source, batchOrId, options))
        for (const item of items)
          if (isFinished(item) && !seen.has(item.id)) {
            seen.add(item.id);
            yield item;
          }
    },
    async download(item, options = {}) {
      const url = readUrl(requireObject(item).signed_url ?? "");
      // the error must not quote the value: it may be a credential
      if (url === null) throw noSignedUrl(item);
      return fetchRendering(url.href, options);
    },
  };
}

/** 128 bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** @throws SnapError for an invalid id. */
function pathOf(id: string): string {
  return `/renders/${encodeURIComponent(readId(id))}`;
}

function noSignedUrl({ id, status, error }: BatchItem): SnapError {
  const reason = error
    ? `it failed with ${error.code}. ${error.message}`
    : status !== "done"
      ? `it is ${status}; wait until it is done.`
      : "its rendering is no longer cached, or a signed URL cannot request it. Send the identical request again.";
  return new SnapError("no_signed_url", `Item ${id} has no signed URL: ${reason}`, { status: 0 });
}
