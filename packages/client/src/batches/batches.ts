import { FaultList, type BatchItem, type RenderBatch, type RenderInput } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import { checkParameters } from "../parameters/check-parameters.ts";
import type { As, DownloadOptions, Rendering } from "../results/rendering.ts";
import type { Pacing } from "../sending/time.ts";
import type { CallOptions } from "../sending/send.ts";
import { refusedParameters } from "../sending/write-query.ts";
import { watchBatch, type WatchOptions } from "./watch-batch.ts";

/** A set of renderings to be made later. */
export interface BatchInput {
  /** 1 to 20 renderings. None may send `cache: false`; a `cacheTtl` is at least 3600. */
  readonly items: readonly RenderInput[];
  /** Where the batch is posted once it is complete, signed: see `verifyWebhook`. */
  readonly webhookUrl?: string | undefined;
}

/** How far a batch is. */
export interface BatchProgress {
  /** Items that are done or failed. */
  readonly finished: number;
  readonly total: number;
  readonly batch: RenderBatch;
}

export interface WaitOptions extends WatchOptions {
  /** Called after each look at the batch. */
  readonly onProgress?: ((progress: BatchProgress) => void) | undefined;
}

export interface Batches {
  /**
   * Queues 1 to 20 renderings and answers at once.
   *
   * Not repeated when the connection is lost: the service may have queued them all the same.
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
   * The batch as it is now.
   *
   * @throws SnapError `not_found` for an id that is unknown, another account's, or of a batch that is
   * deleted: 7 days after it finished.
   */
  get(id: string, options?: CallOptions): Promise<RenderBatch>;

  /**
   * Polls until every item is done or failed. A failed item fails nothing here: look at its `error`.
   *
   * @throws SnapError `timed_out`; the reason of `signal` when it aborts.
   * @example
   * const { items } = await snap.batches.wait(batch, {
   *   onProgress: ({ finished, total }) => console.log(`${finished} of ${total}`),
   * });
   */
  wait(batch: string | RenderBatch, options?: WaitOptions): Promise<RenderBatch>;

  /**
   * The items as they finish, done or failed, each of them once; polls as `wait` does.
   *
   * @example
   * for await (const item of snap.batches.items(batch)) {
   *   if (item.status === "failed") console.error(item.url, item.error?.code);
   *   else console.log(item.url, (await snap.batches.download(item)).bytes.byteLength);
   * }
   */
  items(batch: string | RenderBatch, options?: WatchOptions): AsyncGenerator<BatchItem, void, undefined>;

  /**
   * The rendering of an item, by its signed link; no token is sent.
   *
   * @throws SnapError `no_signed_url` when the item has no link: it isn't done, its rendering isn't kept
   * any more, or the token has no signing secret. Then repeat the identical request with `screenshot()`
   * or `pdf()`, which is free while the rendering is kept.
   */
  download<A extends As = "bytes">(item: BatchItem, options?: DownloadOptions<A>): Promise<Rendering<A>>;
}

/** What batches need of a client. */
export interface BatchDoor {
  readonly post: (batch: BatchInput, options?: CallOptions) => Promise<RenderBatch>;
  readonly get: (id: string, options?: CallOptions) => Promise<RenderBatch>;
  readonly fetchRendering: <A extends As>(url: string, options: DownloadOptions<A>) => Promise<Rendering<A>>;
  readonly pacing: Pacing;
}

export function createBatches(door: BatchDoor): Batches {
  const get: Batches["get"] = async (id, options) => {
    // As a path, "." and ".." would lead elsewhere.
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed())
      throw new SnapError("not_found", "That is no id of a batch.", { status: 404 });
    return door.get(id, options);
  };
  const source = { get, pacing: door.pacing };
  return {
    async submit(batch, options) {
      checkItems(batch.items);
      return door.post(batch, options);
    },
    get,
    async wait(start, { onProgress, ...options } = {}) {
      // A watch begins with a look.
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
      // Whatever else it may be, it is not quoted: it may be a credential.
      if (!/^https?:\/\/[^/@]+\//.test(item.signed_url ?? "")) throw noSignedUrl(item);
      return door.fetchRendering(item.signed_url ?? "", options);
    },
  };
}

/** A status that isn't known means not finished yet (interface.md, Batch item). */
function isFinished({ status }: BatchItem): boolean {
  return status === "done" || status === "failed";
}

/** The faults of single parameters; what concerns the batch or its shape is left to the service. */
function checkItems(items: readonly RenderInput[]): void {
  if (!isList(items)) return;
  const faults = new FaultList();
  for (const [index, item] of items.entries())
    if (Object(item) === item && !isList(item))
      for (const [name, messages] of Object.entries(checkParameters(item)?.errors ?? {}))
        for (const message of messages) faults.add(`items.${index}.${name}`, message);
  const refusal = faults.toRefusal();
  if (refusal !== null) throw refusedParameters(refusal);
}

/** Programs without types may pass anything. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function noSignedUrl({ id, status, error }: BatchItem): SnapError {
  const why =
    error !== null
      ? `it failed with ${error.code}. ${error.message}`
      : status !== "done"
        ? `it is ${status}; wait until it is done.`
        : "its rendering is not kept any more, or the token has no signing secret. Repeat the identical request.";
  return new SnapError("no_signed_url", `Item ${id} has no link: ${why}`, { status: 0 });
}
