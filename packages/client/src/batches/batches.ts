import { FaultList, type BatchItem, type RenderBatch, type RenderInput } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { checkParameters } from "../parameters/check-parameters.ts";
import type { As, DownloadOptions, Rendering } from "../results/rendering.ts";
import type { Pacing } from "../sending/time.ts";
import type { CallOptions } from "../sending/send.ts";
import { invalidParameters } from "../sending/write-query.ts";
import { watchBatch, type WatchOptions } from "./watch-batch.ts";

/** The renderings of a batch. */
export interface BatchInput {
  /** 1 to 20 captures. None may send `cache: false`; a `cacheTtl` is at least 3600. */
  readonly items: readonly RenderInput[];
  /** Receives the complete batch as a signed POST; see `verifyWebhook`. */
  readonly webhookUrl?: string | undefined;
}

/** The progress of a batch. */
export interface BatchProgress {
  /** Items that are done or failed. */
  readonly finished: number;
  readonly total: number;
  readonly batch: RenderBatch;
}

export interface WaitOptions extends WatchOptions {
  /** Called after each poll. */
  readonly onProgress?: ((progress: BatchProgress) => void) | undefined;
}

export interface Batches {
  /**
   * Queues 1 to 20 captures and returns without waiting for them.
   *
   * Not retried after a lost connection, because the service may already have queued them.
   *
   * @throws SnapError `validation_failed` with keys such as `items.2.quality`.
   * @example
   * const batch = await snap.batches.submit({
   *   items: [{ url: "https://example.com" }, { url: "https://example.com", pdf: true }],
   *   webhookUrl: "https://app.example.com/snap-webhook",
   * });
   */
  submit(batch: BatchInput, options?: CallOptions): Promise<RenderBatch>;

  /**
   * Returns the current state of the batch.
   *
   * @throws SnapError `not_found` if the batch does not exist, belongs to another account, or was deleted (by default
   * 7 days after it finished).
   */
  get(id: string, options?: CallOptions): Promise<RenderBatch>;

  /**
   * Polls until every item is done or failed. Does not throw for a failed item; check its `error`.
   *
   * @throws SnapError `timed_out` after `timeoutMs`; the signal's reason when it aborts.
   * @example
   * const { items } = await snap.batches.wait(batch, {
   *   onProgress: ({ finished, total }) => console.log(`${finished} of ${total}`),
   * });
   */
  wait(batch: string | RenderBatch, options?: WaitOptions): Promise<RenderBatch>;

  /**
   * Yields each item once, when it is done or failed. Polls like `wait`.
   *
   * @example
   * for await (const item of snap.batches.items(batch)) {
   *   if (item.status === "failed") console.error(item.url, item.error?.code);
   *   else console.log(item.url, (await snap.batches.download(item)).bytes.byteLength);
   * }
   */
  items(batch: string | RenderBatch, options?: WatchOptions): AsyncGenerator<BatchItem, void, undefined>;

  /**
   * Downloads the rendering of an item from its signed URL, without sending the token.
   *
   * @throws SnapError `no_signed_url` if the item has no signed URL: it is not done, its rendering is no longer cached,
   * or the token has no signing secret. In that case, send the identical request with `screenshot()` or `pdf()`; it is
   * free while the rendering is cached.
   */
  download<A extends As = "bytes">(item: BatchItem, options?: DownloadOptions<A>): Promise<Rendering<A>>;
}

/** The requests that batches need from the client. */
export interface BatchTransport {
  readonly post: (batch: BatchInput, options?: CallOptions) => Promise<RenderBatch>;
  readonly get: (id: string, options?: CallOptions) => Promise<RenderBatch>;
  readonly fetchRendering: <A extends As>(url: string, options: DownloadOptions<A>) => Promise<Rendering<A>>;
  readonly pacing: Pacing;
}

export function createBatches(transport: BatchTransport): Batches {
  const get: Batches["get"] = async (id, options) => {
    // "." and ".." would be resolved as path segments
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed())
      throw new SnapError("not_found", "Invalid batch id; use the id that submit() returned.", {
        status: 404,
      });
    return transport.get(id, options);
  };
  const source = { get, pacing: transport.pacing };
  return {
    async submit(batch, options) {
      checkItems(batch.items);
      return transport.post(batch, options);
    },
    get,
    async wait(start, { onProgress, ...options } = {}) {
      // watchBatch yields at least once
      let latest!: RenderBatch;
      for await (latest of watchBatch(source, start, options)) {
        const { items } = latest;
        onProgress?.({ finished: items.filter(isFinished).length, total: items.length, batch: latest });
      }
      return latest;
    },
    async *items(start, options = {}) {
      const seen = new Set<string>();
      for await (const { items } of watchBatch(source, start, options))
        for (const item of items)
          if (isFinished(item) && !seen.has(item.id)) {
            seen.add(item.id);
            yield item;
          }
    },
    async download(item, options = {}) {
      // the error must not quote the value: it may be a credential
      if (!/^https?:\/\/[^/@]+\//.test(item.signed_url ?? "")) throw noSignedUrl(item);
      return transport.fetchRendering(item.signed_url ?? "", options);
    },
  };
}

/** An unknown status means not finished. */
function isFinished({ status }: BatchItem): boolean {
  return status === "done" || status === "failed";
}

/** Checks the parameters of each item. The service checks everything else. */
function checkItems(items: readonly RenderInput[]): void {
  if (!isList(items)) return;
  const faults = new FaultList();
  for (const [index, item] of items.entries())
    if (Object(item) === item && !isList(item))
      for (const [name, messages] of Object.entries(checkParameters(item)?.errors ?? {}))
        for (const message of messages) faults.add(`items.${index}.${name}`, message);
  const failure = faults.toFailure();
  if (failure !== null) throw invalidParameters(failure);
}

/** Callers without types may pass anything. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function noSignedUrl({ id, status, error }: BatchItem): SnapError {
  const why =
    error !== null
      ? `it failed with ${error.code}. ${error.message}`
      : status !== "done"
        ? `it is ${status}; wait until it is done.`
        : "its rendering is no longer cached, or the token has no signing secret. Send the identical request again.";
  return new SnapError("no_signed_url", `Item ${id} has no signed URL: ${why}`, { status: 0 });
}
