import { messageOf, SnapError } from "../../errors.ts";
import type { RendererHealth } from "../../ports/renderer.ts";
import { sleep, abortable } from "../../timeouts.ts";
import { BrowserUnavailable, type UnavailableCode } from "./browser-unavailable.ts";
import { describe } from "../describe.ts";
import { isOutOfDescriptors } from "./process-group.ts";
import type { RenderingBrowser, TabKind } from "./rendering-browser.ts";
import { TabLost } from "../page/page-end.ts";
import type { Tab } from "../page/tab.ts";

const BACKOFF_MIN_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** Upper limit for a remote browser's `Retry-After`. */
const RETRY_AFTER_MAX_MS = 3_600_000;
/** After more failures in a row than this, the restart after an exit is delayed. */
const IMMEDIATE_RESTARTS_MAX = 3;
/** A browser that fails to open a tab this many times in a row is replaced. */
const TAB_FAILURES_MAX = 3;

const MESSAGES = {
  upstream_error: "The rendering browser is unavailable.",
  upstream_rate_limited: "The rendering browser is busy; retry shortly.",
  upstream_quota_exceeded: "The rendering browser has used up its quota.",
} as const satisfies Record<UnavailableCode, string>;

/** Launches a local browser or connects to a remote one. */
export interface BrowserSource {
  /**
   * Resolves with a browser that is ready to render; `closing` aborts the wait.
   *
   * @throws BrowserUnavailable or Error with the reason.
   */
  start(closing: AbortSignal): Promise<RenderingBrowser>;
  readonly onStartFailed: (failure: { readonly reason: string; readonly retryInMs: number }) => void;
}

/** Provides tabs to renders. */
export interface TabSource {
  /** Aborts when `close` is called. */
  readonly closing: AbortSignal;
  /**
   * Acquires a tab for one render.
   *
   * @throws SnapError `upstream_error`, `upstream_rate_limited` or `upstream_quota_exceeded` if no browser is
   * available.
   * @throws TabLost if the tab could not be opened.
   */
  acquire(request: TabRequest, signal: AbortSignal): Promise<TabLease>;
  health(): Promise<RendererHealth>;
  close(): Promise<void>;
}

export interface TabRequest {
  readonly kind: TabKind;
  /** URL to open a new tab at, if that is possible; `null` opens it blank. */
  readonly url: string | null;
  /** The browsers that this render has tried; each `BrowserSupervisor` adds itself in `acquire`. */
  readonly tried: Set<TabSource>;
}

export interface TabLease {
  readonly tab: Tab;
  /** Closes the tab in the background. */
  readonly release: () => void;
}

/** Why no browser is available until the next start. */
export interface Outage {
  readonly reason: string;
  readonly code: UnavailableCode;
  /** Earliest retry by `performance.now()`; `null` if the endpoint sent no `Retry-After`. */
  readonly untilMs: number | null;
}

/**
 * Keeps one browser running: starts it ahead of the first render, restarts it when it exits, and recycles it at its
 * limits. The new browser is ready before the old one retires.
 */
export class BrowserSupervisor implements TabSource {
  readonly #source: BrowserSource;
  readonly #closing = new AbortController();
  readonly #running = new Set<RenderingBrowser>();
  readonly #supervision: Promise<void>;
  #current: RenderingBrowser | null = null;
  /** Failed starts, exits and browsers that could not open tabs, since the last render whose page did not end early. */
  #failures = 0;
  /** Consecutive failures to open a tab. */
  #tabFailures = 0;
  #outage: Outage | null = null;
  #changed = Promise.withResolvers<void>();

  constructor(source: BrowserSource) {
    this.#source = source;
    this.#supervision = this.#superviseBrowser().catch(() => {}); // rejects on close
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Number of active renders in its browser; `null` while no browser is running. */
  get activeRenders(): number | null {
    return this.#current?.activeRenders ?? null;
  }

  get outage(): Outage | null {
    return this.#outage;
  }

  /** Resolves when a browser starts, fails to start, exits or cannot open tabs, or a render ends. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  async acquire({ kind, url, tried }: TabRequest, signal: AbortSignal): Promise<TabLease> {
    tried.add(this);
    const browser = await this.#waitForBrowser(signal);
    if (!browser) throw explainOutage(this.#outage);
    const acquiring = browser.acquireTab(kind, url);
    try {
      const tab = await abortable(signal, acquiring);
      this.#tabFailures = 0;
      return { tab, release: () => this.#release(tab, browser) };
    } catch (cause) {
      acquiring.then((tab) => browser.releaseTab(tab)).catch(() => {}); // the render no longer needs it
      signal.throwIfAborted();
      const reason = `no tab could be opened: ${describe(cause)}`;
      // if there are no file descriptors left, another browser would not help
      if (!isOutOfDescriptors(cause)) this.#recordTabFailure(browser, reason);
      throw new TabLost(reason);
    }
  }

  async health(): Promise<RendererHealth> {
    const browser = await this.#waitForBrowser(this.closing).catch(() => null);
    if (browser) return { ready: true, reason: null };
    return { ready: false, reason: this.closing.aborted ? "closed" : (this.#outage?.reason ?? null) };
  }

  async close(): Promise<void> {
    this.#closing.abort(new SnapError("upstream_error", "The renderer is closed."));
    await this.#supervision;
    await Promise.all([...this.#running].map((browser) => browser.kill()));
  }

  /** Resolves with the running browser, or with `null` during an outage. */
  async #waitForBrowser(signal: AbortSignal): Promise<RenderingBrowser | null> {
    signal.throwIfAborted();
    while (!this.#current && this.#outage === null) await abortable(signal, this.#changed.promise);
    return this.#current;
  }

  async #superviseBrowser(): Promise<void> {
    for (;;) {
      await sleep(this.closing, this.#backoffMs());
      const browser = await this.#start();
      if (!browser) continue;
      this.#current?.retire();
      this.#current = browser;
      this.#outage = null;
      this.#notifyChange();
      await this.#waitForReplacement(browser);
    }
  }

  async #start(): Promise<RenderingBrowser | null> {
    try {
      const browser = await this.#source.start(this.closing);
      this.#running.add(browser);
      browser.browser.disconnected.addEventListener("abort", () => void this.#handleExit(browser));
      browser.listener.onStarted();
      return browser;
    } catch (error) {
      if (this.closing.aborted) return null;
      this.#failures += 1;
      this.#outage = outageOf(error);
      const { reason } = this.#outage;
      this.#source.onStartFailed({ reason, retryInMs: this.#backoffMs() });
      this.#notifyChange();
      return null;
    }
  }

  /**
   * Resolves when the browser is due for replacement, or is no longer used: it has exited or cannot
   * open tabs.
   */
  async #waitForReplacement(browser: RenderingBrowser): Promise<void> {
    while (this.#current === browser) {
      const reason = browser.recycleReason();
      if (reason) return browser.listener.onRecycled(reason);
      await abortable(this.closing, this.#changed.promise);
    }
  }

  async #handleExit(browser: RenderingBrowser): Promise<void> {
    if (this.#current === browser && !this.closing.aborted) {
      const outage = outageOf(browser.browser.disconnected.reason);
      this.#current = null;
      this.#failures += 1;
      if (this.#failures > IMMEDIATE_RESTARTS_MAX) this.#outage = outage;
      browser.listener.onEnded(outage.reason);
      this.#notifyChange();
    }
    await browser.kill();
    this.#running.delete(browser);
  }

  /**
   * Replaces a browser that repeatedly fails to open tabs. A pool would otherwise send it all new
   * renders, because it has no active ones.
   */
  #recordTabFailure(browser: RenderingBrowser, reason: string): void {
    if (this.#current !== browser || browser.browser.disconnected.aborted) return;
    this.#tabFailures += 1;
    if (this.#tabFailures < TAB_FAILURES_MAX) return;
    this.#tabFailures = 0;
    this.#current = null;
    this.#failures += 1;
    this.#outage = { reason, code: "upstream_error", untilMs: null };
    browser.listener.onEnded(reason);
    browser.retire();
    this.#notifyChange();
  }

  #release(tab: Tab, browser: RenderingBrowser): void {
    if (!tab.ended.aborted) this.#failures = 0;
    browser.releaseTab(tab);
    this.#notifyChange();
  }

  #backoffMs(): number {
    if (this.#outage === null) return 0;
    const retryAfterMs = Math.max(0, (this.#outage.untilMs ?? 0) - performance.now());
    return Math.max(retryAfterMs, Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (this.#failures - 1)));
  }

  #notifyChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function outageOf(error: unknown): Outage {
  const reason = messageOf(error);
  if (!(error instanceof BrowserUnavailable)) return { reason, code: "upstream_error", untilMs: null };
  const { code, retryAfterMs } = error;
  const waitMs = retryAfterMs === null ? null : Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
  return { reason, code, untilMs: waitMs === null ? null : performance.now() + waitMs };
}

/** Returns the error for a render that found no browser. */
export function explainOutage(outage: Outage | null): SnapError {
  const { code = "upstream_error", reason = "", untilMs = null } = outage ?? {};
  const seconds = untilMs === null ? 0 : Math.ceil((untilMs - performance.now()) / 1000);
  return new SnapError(code, MESSAGES[code], {
    detail: reason,
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  });
}
