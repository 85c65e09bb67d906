import type { Protocol } from "puppeteer";
import { PageEnded } from "../page/page-end.ts";

interface EventCount {
  readonly events: number;
  readonly bytes: number;
}

/**
 * Limits on the events that one page can cause. A page with 1,000 requests and 50 frames causes 8,200 network events,
 * together 11 MB, and 400 others, together 0.1 MB (docs/explanation/containment.md).
 */
const LIMITS = {
  /**
   * Enough for 10,000 requests. Inlined images are reported twice, in base64: the 50 MB that a page may load become 133
   * MB.
   */
  network: { events: 120_000, bytes: 160 * 1024 * 1024 },
  /**
   * Navigations, frames, dialogs, workers. Three or four events of each navigation repeat the URL, which may be 2 MB of
   * inlined data.
   */
  other: { events: 5_000, bytes: 16 * 1024 * 1024 },
} as const satisfies Record<string, EventCount>;

const NETWORK_EVENT = /^(Network|Fetch)\./;
const DETACHED = "Target.detachedFromTarget";

export interface ScreenshotCommand {
  readonly params: Protocol.Page.CaptureScreenshotRequest;
  readonly maxBytes: number;
}

/** Captures a screenshot of a session's page. */
export type CaptureScreenshot = (
  command: ScreenshotCommand & { readonly sessionId: string },
  signal: AbortSignal,
) => Promise<Uint8Array<ArrayBuffer>>;

interface PageChannelOptions {
  readonly sessionId: string;
  /** The channels of all pages by session, including the sessions of frames and workers. */
  readonly channels: Map<string, PageChannel>;
  readonly captureScreenshot: CaptureScreenshot;
}

/**
 * The part of a connection that belongs to one page, with its frames and workers. Counts the page's events before they
 * are parsed. A page that exceeds a limit floods the connection, so its later messages are discarded, except reports that
 * a frame or worker has ended.
 */
export class PageChannel {
  readonly #options: PageChannelOptions;
  readonly #sessionIds = new Set<string>();
  readonly #flooded = new AbortController();
  #capturedPixels = 0;
  readonly #counts = { network: { events: 0, bytes: 0 }, other: { events: 0, bytes: 0 } };

  constructor(options: PageChannelOptions) {
    this.#options = options;
    this.include(options.sessionId);
  }

  /** Aborts with a `SnapError` when the page exceeds a limit. */
  get flooded(): AbortSignal {
    return this.#flooded.signal;
  }

  /** Device pixels of the screenshot that is being captured; 0 if there is none. */
  get capturedPixels(): number {
    return this.#capturedPixels;
  }

  /** Adds the session of the page, or of one of its frames or workers. */
  include(sessionId: string): void {
    this.#sessionIds.add(sessionId);
    this.#options.channels.set(sessionId, this);
  }

  /** Removes all sessions. Called once the browser has closed the page. */
  close(): void {
    for (const sessionId of this.#sessionIds) this.#options.channels.delete(sessionId);
  }

  /**
   * Counts a message if it is an event; returns whether it may be parsed.
   *
   * @param event - The event's name; `null` for a response.
   */
  admit(event: string | null, bytes: number): boolean {
    if (event !== null) this.#add(NETWORK_EVENT.test(event) ? "network" : "other", bytes);
    // otherwise, Puppeteer would never release the sessions of frames and workers that have ended
    return !this.#flooded.signal.aborted || event === DETACHED;
  }

  /** Counts an event that the page caused in a session that is not its own. */
  countOther(bytes: number): void {
    this.#add("other", bytes);
  }

  /**
   * Captures a screenshot of the page.
   *
   * @param command.pixels - Device pixels of the screenshot.
   * @throws SnapError `render_failed` if the screenshot is larger than `maxBytes`.
   */
  async captureScreenshot(
    { pixels, ...command }: ScreenshotCommand & { readonly pixels: number },
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { sessionId, captureScreenshot } = this.#options;
    this.#capturedPixels = pixels;
    try {
      return await captureScreenshot({ ...command, sessionId }, signal);
    } finally {
      this.#capturedPixels = 0;
    }
  }

  #add(kind: keyof typeof LIMITS, bytes: number): void {
    const count = this.#counts[kind];
    count.events += 1;
    count.bytes += bytes;
    if (count.events <= LIMITS[kind].events && count.bytes <= LIMITS[kind].bytes) return;
    const events = kind === "network" ? "network events" : "non-network events";
    const detail = `${count.events} ${events} (${count.bytes} bytes)`;
    // only the first call has an effect
    this.#flooded.abort(new PageEnded("events", "The page causes too many browser events.", detail));
  }
}
