import type { CDPSession, Protocol } from "puppeteer";
import { abortable, giveUpAfter } from "../../../timeouts.ts";
import { forEachConcurrently } from "../for-each-concurrently.ts";
import type { Tab } from "../tab.ts";

/** Limits for the URLs that are sent to the frames: how many per page, and the length of each. */
const IMAGES_MAX = 500;
const URL_CHARACTERS_MAX = 2_000;
/**
 * Limits for the files to search, which are in the browser's memory. A match returns the file, and a larger file does
 * not fit in a response.
 */
const WEBP = { files: 100, fileBytes: 3_000_000, totalBytes: 64_000_000 } as const;
/** The browser loads the page's manifest before it searches a file, which can take any amount of time. */
const FIND_MAX_MS = 1_000;
const SESSION_CONCURRENCY = 2;
const FILE_CONCURRENCY = 8;

/**
 * The start of an animated WebP file in Base64 (RFC 9649, 2.7): an extended file, whose flags include the animation
 * bit, 0x02. Searching for it transfers nothing for other files, unlike reading their content.
 */
export const ANIMATED_WEBP = "^.{16}VlA4WAoA.{3}[CDGHKLOPSTWXabefijmnqruvyz2367+/]";

interface Image {
  readonly frameId: string;
  readonly url: string;
  readonly mimeType: string;
  /** 0 until the image has loaded. */
  readonly bytes: number;
}

/** The animated images that a step has found on a page. A file with a result is not searched again. */
export class AnimatedImages {
  readonly #urls = new Map<string, Set<string>>();
  readonly #isAnimatedWebp = new Map<string, boolean>();
  #images = 0;
  #bytesLeft = WEBP.totalBytes;

  /** Looks for images that have loaded since the last call. Returns whether it finished in time. */
  async find({ frameSessions }: Pick<Tab, "frameSessions">, signal: AbortSignal): Promise<boolean> {
    const limit = { signal, durationMs: FIND_MAX_MS, otherwise: false };
    return giveUpAfter(limit, async (stepSignal) => {
      await forEachConcurrently([...frameSessions], SESSION_CONCURRENCY, async (session) => {
        try {
          await this.#findIn(session, stepSignal);
        } catch {
          stepSignal.throwIfAborted(); // its frame has been removed, or has too many resources to report
        }
      });
      return true;
    });
  }

  /** Returns the URLs of the GIFs and animated WebP images found in a frame, except inlined ones. */
  urlsIn(frameId: string): readonly string[] {
    return [...(this.#urls.get(frameId) ?? [])];
  }

  async #findIn(session: CDPSession, signal: AbortSignal): Promise<void> {
    const { frameTree } = await abortable(signal, session.send("Page.getResourceTree"));
    const images = imagesOf(frameTree).toSorted((a, b) => a.bytes - b.bytes);
    await forEachConcurrently(images, FILE_CONCURRENCY, async (image) => {
      if (image.mimeType === "image/gif" || (await this.#isAnimated(session, image, signal)))
        this.#add(image);
    });
  }

  #add({ frameId, url }: Image): void {
    const urls = this.#urls.get(frameId) ?? new Set();
    if (urls.has(url) || this.#images >= IMAGES_MAX) return;
    this.#images += 1;
    this.#urls.set(frameId, urls.add(url));
  }

  async #isAnimated(
    session: CDPSession,
    { frameId, url, bytes }: Image,
    signal: AbortSignal,
  ): Promise<boolean> {
    const known = this.#isAnimatedWebp.get(url);
    if (known !== undefined) return known;
    const isWithinLimits =
      bytes <= Math.min(WEBP.fileBytes, this.#bytesLeft) && this.#isAnimatedWebp.size < WEBP.files;
    if (bytes === 0 || !isWithinLimits) return false;
    this.#bytesLeft -= bytes;
    const query = { frameId, url, query: ANIMATED_WEBP, isRegex: true, caseSensitive: true };
    const matches = session.send("Page.searchInResource", query).then(
      ({ result }) => result.length > 0,
      () => false, // no longer in memory
    );
    const isAnimated = await abortable(signal, matches);
    this.#isAnimatedWebp.set(url, isAnimated);
    return isAnimated;
  }
}

function imagesOf({ frame, resources, childFrames = [] }: Protocol.Page.FrameResourceTree): Image[] {
  const own = resources
    .filter(({ mimeType }) => mimeType === "image/gif" || mimeType === "image/webp")
    .filter(({ url }) => url.length <= URL_CHARACTERS_MAX && !url.startsWith("data:"))
    .map(({ url, mimeType, contentSize: bytes = 0 }) => ({ frameId: frame.id, url, mimeType, bytes }));
  return [...own, ...childFrames.flatMap(imagesOf)];
}
