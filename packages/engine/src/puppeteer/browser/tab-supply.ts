import { SnapError } from "../../errors.ts";
import type { RendererHealth } from "../../ports/renderer.ts";
import { pause, unless } from "../../timeouts.ts";
import { BrowserUnavailable, type UnavailableCode } from "./browser-unavailable.ts";
import { describe } from "../describe.ts";
import type { RenderingBrowser, TabKind } from "./rendering-browser.ts";
import { TabLost, type Tab } from "../page/tab.ts";

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 30_000;
/** As long as a browser elsewhere may ask us to wait. */
const RETRY_AFTER_MAX_MS = 3_600_000;
/** So often in a row a browser that ended is started again at once. */
const DEATHS_TOLERATED_MAX = 3;
/** So many tabs in a row that can't be opened, and the browser is left. */
const TABS_REFUSED_MAX = 3;

const MESSAGES = {
  upstream_error: "The rendering browser is unavailable.",
  upstream_rate_limited: "The rendering browser is busy; try again shortly.",
  upstream_quota_exceeded: "The rendering browser has used up its quota.",
} as const satisfies Record<UnavailableCode, string>;

/** How a supply comes by a browser. */
export interface BrowserSource {
  /**
   * A browser that is ready to render. An aborted `closing` calls the wait off.
   *
   * @throws Error with the reason; a `BrowserUnavailable` says more
   */
  start(closing: AbortSignal): Promise<RenderingBrowser>;
  readonly onStartFailed: (failure: { readonly reason: string; readonly retryInMs: number }) => void;
}

/** Where renders get their tabs. */
export interface TabSource {
  /** Aborts when it is closed. */
  readonly closing: AbortSignal;
  /**
   * A tab of its own for one render of `url`.
   *
   * @throws SnapError `upstream_error`, `upstream_rate_limited` or `upstream_quota_exceeded` while there is no browser
   * @throws TabLost when the browser ended meanwhile
   */
  acquire(wanted: WantedTab, signal: AbortSignal): Promise<TabLease>;
  health(): Promise<RendererHealth>;
  close(): Promise<void>;
}

export interface WantedTab {
  readonly kind: TabKind;
  readonly url: string;
  /** Where this render was tried before; where it is tried now is added. */
  readonly tried: Set<TabSource>;
}

/** A tab for one render. */
export interface TabLease {
  readonly tab: Tab;
  /** Gives the tab back, to be closed out of the caller's way. */
  readonly release: () => void;
}

/** Why there is no browser, while another start has to wait. */
export interface Outage {
  readonly reason: string;
  readonly code: UnavailableCode;
  /** When the browser may be asked again, on the clock of `performance`; `null` when it did not say. */
  readonly untilMs: number | null;
}

/**
 * Keeps one browser at work, whatever happens to it: started ahead, started again when it ends, and
 * replaced, with the new one up before the old one goes, when it has served long enough.
 */
export class TabSupply implements TabSource {
  readonly #source: BrowserSource;
  readonly #closing = new AbortController();
  readonly #running = new Set<RenderingBrowser>();
  readonly #work: Promise<void>;
  #current: RenderingBrowser | null = null;
  /** Starts that failed and browsers that ended, since the last render that went through. */
  #failures = 0;
  /** Tabs in a row that could not be opened. */
  #refusedTabs = 0;
  #outage: Outage | null = null;
  #changed = Promise.withResolvers<void>();

  constructor(source: BrowserSource) {
    this.#source = source;
    this.#work = this.#keepOneAtWork().catch(() => {}); // ends by rejecting when closed
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Renders that its browser is busy with; `null` while there is none. */
  get busy(): number | null {
    return this.#current?.busy ?? null;
  }

  get outage(): Outage | null {
    return this.#outage;
  }

  /** Resolves at the next change: a browser that is up or has ended, a render that is over. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  async acquire({ kind, url, tried }: WantedTab, signal: AbortSignal): Promise<TabLease> {
    tried.add(this);
    const browser = await this.#awaitBrowser(signal);
    if (!browser) throw explainOutage(this.#outage);
    const taking = browser.take(kind, url);
    try {
      const tab = await unless(signal, taking);
      this.#refusedTabs = 0;
      return { tab, release: () => this.#release(tab, browser) };
    } catch (cause) {
      taking.then((tab) => browser.giveBack(tab)).catch(() => {}); // too late for this render
      signal.throwIfAborted();
      const reason = `no tab could be opened: ${describe(cause)}`;
      this.#noteRefusedTab(browser, reason);
      throw new TabLost(reason);
    }
  }

  async health(): Promise<RendererHealth> {
    const browser = await this.#awaitBrowser(this.closing).catch(() => null);
    if (browser) return { ready: true, reason: null };
    return { ready: false, reason: this.closing.aborted ? "closed" : (this.#outage?.reason ?? null) };
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
      const browser = await this.#source.start(this.closing);
      this.#running.add(browser);
      browser.browser.gone.addEventListener("abort", () => void this.#bury(browser));
      browser.news.started();
      return browser;
    } catch (error) {
      if (this.closing.aborted) return null;
      this.#failures += 1;
      this.#outage = outageOf(error);
      const { reason } = this.#outage;
      this.#source.onStartFailed({ reason, retryInMs: this.#pauseMs() });
      this.#tellChange();
      return null;
    }
  }

  /** Resolves when the browser has ended, or should be replaced. */
  async #awaitReplacement(browser: RenderingBrowser): Promise<void> {
    while (this.#current === browser) {
      const reason = browser.recycleReason();
      if (reason) return browser.news.recycled(reason);
      await unless(this.closing, this.#changed.promise);
    }
  }

  async #bury(browser: RenderingBrowser): Promise<void> {
    if (this.#current === browser && !this.closing.aborted) {
      const outage = outageOf(browser.browser.gone.reason);
      this.#current = null;
      this.#failures += 1;
      if (this.#failures > DEATHS_TOLERATED_MAX) this.#outage = outage;
      browser.news.ended(outage.reason);
      this.#tellChange();
    }
    await browser.kill();
    this.#running.delete(browser);
  }

  /** One that opens no tabs would, idle as it is, draw all work to itself: it is left, and started again later. */
  #noteRefusedTab(browser: RenderingBrowser, reason: string): void {
    if (this.#current !== browser || browser.browser.gone.aborted) return;
    this.#refusedTabs += 1;
    if (this.#refusedTabs < TABS_REFUSED_MAX) return;
    this.#refusedTabs = 0;
    this.#current = null;
    this.#failures += 1;
    this.#outage = { reason, code: "upstream_error", untilMs: null };
    browser.news.ended(reason);
    browser.retire();
    this.#tellChange();
  }

  #release(tab: Tab, browser: RenderingBrowser): void {
    if (!tab.ended.aborted) this.#failures = 0;
    browser.giveBack(tab);
    this.#tellChange();
  }

  #pauseMs(): number {
    if (this.#outage === null) return 0;
    const askedMs = Math.max(0, (this.#outage.untilMs ?? 0) - performance.now());
    return Math.max(askedMs, Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (this.#failures - 1)));
  }

  #tellChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function outageOf(error: unknown): Outage {
  const reason = error instanceof Error ? error.message : String(error);
  if (!(error instanceof BrowserUnavailable)) return { reason, code: "upstream_error", untilMs: null };
  const { code, retryAfterMs } = error;
  const waitMs = retryAfterMs === null ? null : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  return { reason, code, untilMs: waitMs === null ? null : performance.now() + waitMs };
}

/** What a render answers that finds no browser. */
export function explainOutage(outage: Outage | null): SnapError {
  const { code = "upstream_error", reason = "", untilMs = null } = outage ?? {};
  const seconds = untilMs === null ? 0 : Math.ceil((untilMs - performance.now()) / 1000);
  return new SnapError(code, MESSAGES[code], {
    detail: reason,
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  });
}
