import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { StoredRendering } from "../ports/renderings.ts";
import { openImage } from "./convert-image.ts";
import { imageProcessor, type ImageProcessor, type Sharp } from "./image-processor.ts";

/** A WebP version of an image, smaller if necessary. */
export interface Preview {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface PreviewLimits {
  readonly maxBytes: number;
  readonly maxSidePx: number;
}

/** Returns the preview of an account's rendering; `null` if none can be made, or the service is too busy. */
export type FindPreview = (
  rendering: Pick<StoredRendering, "etag" | "bytes"> & { readonly accountId: string },
) => Promise<Preview | null>;

/** More pixels than an assistant looks at. */
const MAX_PIXELS = 8_000_000;
const QUALITY = 80;
const MAX_ATTEMPTS = 3;
const ATTEMPT_MAX_SECONDS = 10;
/** The next attempt is smaller than estimated by this factor. */
const MARGIN = 0.9;
/** Leaves capacity to convert the images of renders. */
const PREVIEW_CONCURRENCY = 1;
const UNFINISHED_MAX = 4;
/** One being made and one waiting. */
const UNFINISHED_MAX_PER_ACCOUNT = 2;
/** No preview is made while this many images are waiting to be converted. */
const IMAGES_WAITING_MAX = 2;
/** Cache hits are free, so a repeated hit must not cost CPU time either. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Estimated size of a cache entry besides the preview. */
const OVERHEAD_BYTES = 256;

/** Creates previews with the image processor of this process. Its declaration needs no types of sharp, which is optional. */
export function createPreviews(limits: PreviewLimits): FindPreview {
  return createPreviewsWith(imageProcessor, limits);
}

/** Creates a function that returns previews within the limits, and caches them, and failures, by the entity tag. */
export function createPreviewsWith(images: ImageProcessor, limits: PreviewLimits): FindPreview {
  const cache = new LRUCache<string, { readonly preview: Preview | null }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ preview }) => (preview?.bytes.byteLength ?? 0) + OVERHEAD_BYTES,
  });
  const unfinished = new Map<
    string,
    { readonly accountId: string; readonly result: Promise<Preview | null> }
  >();
  const queue = new PQueue({ concurrency: PREVIEW_CONCURRENCY });
  const isBusy = (accountId: string): boolean => {
    const own = [...unfinished.values()].filter((one) => one.accountId === accountId);
    return (
      own.length >= UNFINISHED_MAX_PER_ACCOUNT ||
      unfinished.size >= UNFINISHED_MAX ||
      images.waiting >= IMAGES_WAITING_MAX
    );
  };
  return async ({ accountId, etag, bytes }) => {
    const cached = cache.get(etag);
    if (cached !== undefined) return cached.preview;
    const started = unfinished.get(etag);
    if (started !== undefined) return started.result;
    if (!images.isAvailable || isBusy(accountId)) return null;
    // no owner: with one, all previews would have to wait for this account's conversions
    const result = queue.add(() => images.run((sharp) => shrink(sharp, bytes, limits)).catch(() => null));
    unfinished.set(etag, { accountId, result });
    const preview = await result;
    cache.set(etag, { preview });
    unfinished.delete(etag);
    return preview;
  };
}

/** Encodes the image in WebP, at its original size if that fits the limits. Returns `null` if no attempt fits. */
async function shrink(
  sharp: Sharp,
  bytes: Uint8Array,
  { maxBytes, maxSidePx }: PreviewLimits,
): Promise<Preview | null> {
  const { width, height } = await openImage(sharp, bytes).metadata();
  let scale = Math.min(1, maxSidePx / Math.max(width, height), Math.sqrt(MAX_PIXELS / (width * height)));
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const size = {
      width: Math.max(1, Math.floor(width * scale)),
      height: Math.max(1, Math.floor(height * scale)),
    };
    const data = await openImage(sharp, bytes)
      .timeout({ seconds: ATTEMPT_MAX_SECONDS })
      .resize({ ...size, fit: "fill" })
      .webp({ quality: QUALITY })
      .toBuffer();
    if (data.byteLength <= maxBytes) return { bytes: data, ...size };
    scale *= Math.sqrt(maxBytes / data.byteLength) * MARGIN;
  }
  return null;
}
