import { SnapError } from "../errors.ts";
import type { RendererHealth } from "../ports/renderer.ts";
import { pause, unless } from "./abort.ts";
import { findBrowser } from "./find-browser.ts";
import { RenderingBrowser, type RenderingBrowserOptions, type TabKind } from "./rendering-browser.ts";
import { TabLost } from "./tab-lost.ts";
import type { Tab } from "./tab.ts";

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 30_000;
/** So often in a row a browser that ended is started again at once. */
const DEATHS_TOLERATED_MAX = 3;

const NO_BROWSER =
  "no browser was found: install chromium-headless-shell (Debian), run `npx puppeteer browsers install chrome-headless-shell`, or give the path of one";

export interface TabSupplyOptions extends Omit<RenderingBrowserOptions, "executablePath"> {
  /** `null`: looked for at each start, so that one installed later is found. */
  readonly executablePath: string | null;
}

/** A tab for one render. */
export interface TabLease {
  readonly tab: Tab;
  /** Gives the tab back, to be closed out of the caller's way. */
  readonly release: () => void;
}

/**
 * Keeps one browser at work, whatever happens to it: started ahead, started again when it ends, and
 * replaced, with the new one up before the old one goes, when it has served long enough.
 */
export class TabSupply {
  readonly #options: TabSupplyOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<RenderingBrowser>();
  readonly #work: Promise<void>;
  #current: RenderingBrowser | null = null;
  /** Starts that failed and browsers that ended, since the last render that went through. */
  #failures = 0;
  /** Why there is no browser, when another start has to wait. */
  #outage: string | null = null;
  #changed = Promise.withResolvers<void>();

  constructor(options: TabSupplyOptions) {
    this.#options = options;
    this.#work = this.#keepOneAtWork().catch(() => {}); // ends by rejecting when closed
  }

  /** Aborts when the supply is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * A tab of its own for one render of `url`.
   *
   * @throws SnapError `upstream_error` while no browser can be started
   * @throws TabLost when the browser ended meanwhile
   */
  async acquire(
    { kind, url }: { readonly kind: TabKind; readonly url: string },
    signal: AbortSignal,
  ): Promise<TabLease> {
    const browser = await this.#awaitBrowser(signal);
    if (!browser) {
      const detail = this.#outage ?? "";
      throw new SnapError("upstream_error", "The browser that renders pages is not available.", { detail });
    }
    const taking = browser.take(kind, url);
    try {
      const tab = await unless(signal, taking);
      return { tab, release: () => this.#release(tab, browser) };
    } catch (cause) {
      taking.then((tab) => browser.giveBack(tab)).catch(() => {}); // too late for this render
      signal.throwIfAborted();
      throw new TabLost("no tab could be opened", { cause });
    }
  }

  async health(): Promise<RendererHealth> {
    const browser = await this.#awaitBrowser(this.closing).catch(() => null);
    if (browser) return { ready: true, reason: null };
    return { ready: false, reason: this.closing.aborted ? "closed" : this.#outage };
  }

  async close(): Promise<void> {
    this.#closing.abort(new SnapError("upstream_error", "The renderer is closed."));
    await this.#work;
    await Promise.all([...this.#running].map((browser) => browser.kill()));
  }

  /** The browser at work, or `null` when none can be had for the time being. */
  async #awaitBrowser(signal: AbortSignal): Promise<RenderingBrowser | null> {
    signal.throwIfAborted();
    while (!this.#current && this.#outage === null) await unless(signal, this.#changed.promise);
    return this.#current;
  }

  async #keepOneAtWork(): Promise<void> {
    for (;;) {
      await pause(this.closing, this.#pauseMs());
      const browser = await this.#start();
      if (!browser) continue;
      this.#current?.retire();
      this.#current = browser;
      this.#outage = null;
      this.#tellChange();
      await this.#awaitReplacement(browser);
    }
  }

  async #start(): Promise<RenderingBrowser | null> {
    try {
      const executablePath = this.#options.executablePath ?? (await findBrowser());
      if (executablePath === null) throw new Error(NO_BROWSER);
      const browser = await RenderingBrowser.start({ ...this.#options, executablePath });
      this.#running.add(browser);
      browser.launched.gone.addEventListener("abort", () => void this.#bury(browser));
      const { pid } = browser.launched;
      this.#options.onEvent({ type: "browser-started", pid });
      return browser;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#failures += 1;
      this.#outage = reason;
      this.#options.onEvent({ type: "browser-start-failed", reason, retryInMs: this.#pauseMs() });
      this.#tellChange();
      return null;
    }
  }

  /** Resolves when the browser has ended, or should be replaced. */
  async #awaitReplacement(browser: RenderingBrowser): Promise<void> {
    while (this.#current === browser) {
      const reason = browser.recycleReason();
      if (reason) {
        this.#options.onEvent({ type: "browser-recycled", pid: browser.launched.pid, reason });
        return;
      }
      await unless(this.closing, this.#changed.promise);
    }
  }

  async #bury(browser: RenderingBrowser): Promise<void> {
    if (this.#current === browser && !this.closing.aborted) {
      const { pid, gone } = browser.launched;
      const reason = (gone.reason as Error).message;
      this.#current = null;
      this.#failures += 1;
      if (this.#failures > DEATHS_TOLERATED_MAX) this.#outage = reason;
      this.#options.onEvent({ type: "browser-ended", pid, reason });
      this.#tellChange();
    }
    await browser.kill();
    this.#running.delete(browser);
  }

  #release(tab: Tab, browser: RenderingBrowser): void {
    if (!tab.ended.aborted) this.#failures = 0;
    browser.giveBack(tab);
    this.#tellChange();
  }

  #pauseMs(): number {
    if (this.#outage === null) return 0;
    return Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (this.#failures - 1));
  }

  #tellChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
