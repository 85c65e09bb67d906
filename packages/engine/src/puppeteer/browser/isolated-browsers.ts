import { abortable } from "../../timeouts.ts";
import type { TabSource } from "./browser-supervisor.ts";

/** How long a browser accepts renders of its key while another key waits for one. */
const TURN_MS = 5_000;

interface IsolatedBrowser {
  readonly tabs: TabSource;
  renders: number;
  /** When it last went from idle to rendering. */
  busySinceMs: number;
  idleSinceMs: number;
  idleTimer: NodeJS.Timeout | undefined;
}

export interface IsolatedBrowsersOptions {
  /** Starts a browser in the background. */
  readonly start: () => TabSource;
  readonly browsersMax: number;
  /** Idle time after which a browser is closed. */
  readonly idleMaxMs: number;
}

/** One browser per key, started for its first render and closed when idle. */
export class IsolatedBrowsers {
  readonly #options: IsolatedBrowsersOptions;
  readonly #browsers = new Map<string, IsolatedBrowser>();
  readonly #closing = new Set<Promise<void>>();
  /** The keys of the renders that wait for a browser. */
  readonly #waiting = new Map<symbol, string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: IsolatedBrowsersOptions) {
    this.#options = options;
  }

  /** Runs `render` in the key's browser. Waits its turn while `browsersMax` browsers are rendering for other keys. */
  async use<T>(key: string, signal: AbortSignal, render: (tabs: TabSource) => Promise<T>): Promise<T> {
    const browser = await this.#acquire(key, signal);
    try {
      return await render(browser.tabs);
    } finally {
      browser.renders -= 1;
      if (browser.renders === 0) this.#release(key, browser);
    }
  }

  async close(): Promise<void> {
    for (const key of this.#browsers.keys()) this.#closeBrowser(key);
    await Promise.all(this.#closing);
  }

  async #acquire(key: string, signal: AbortSignal): Promise<IsolatedBrowser> {
    for (;;) {
      signal.throwIfAborted();
      const browser = this.#find(key);
      if (browser) {
        // before any wait, so a render with another key does not close the browser as idle
        if (browser.renders === 0) browser.busySinceMs = performance.now();
        browser.renders += 1;
        clearTimeout(browser.idleTimer);
        return browser;
      }
      await this.#waitForChange(key, signal);
    }
  }

  /** Waiting renders retry in the order in which they started to wait. */
  async #waitForChange(key: string, signal: AbortSignal): Promise<void> {
    const id = Symbol(key);
    this.#waiting.set(id, key);
    try {
      await abortable(signal, this.#changed.promise);
    } finally {
      this.#waiting.delete(id);
      if (signal.aborted) this.#notifyChange(); // renders may have been waiting behind this one
    }
  }

  /** Returns the key's browser, or a new one; `null` if the render must wait. */
  #find(key: string): IsolatedBrowser | null {
    const browser = this.#browsers.get(key);
    if (browser === undefined) return this.#startOrReplaceIdle(key);
    // an idle browser is already promised to the renders that wait
    const isTurnOver = browser.renders === 0 || performance.now() - browser.busySinceMs > TURN_MS;
    const isNeeded = [...this.#waiting.values()].some((waiting) => !this.#browsers.has(waiting));
    return isTurnOver && isNeeded ? null : browser;
  }

  /** Starts a browser, closing an idle one at the limit; returns `null` if all are rendering. */
  #startOrReplaceIdle(key: string): IsolatedBrowser | null {
    const { browsersMax } = this.#options;
    if (this.#browsers.size >= browsersMax) this.#closeLongestIdle();
    if (this.#browsers.size >= browsersMax) return null;
    const browser = {
      tabs: this.#options.start(),
      renders: 0,
      busySinceMs: 0,
      idleSinceMs: 0,
      idleTimer: undefined,
    };
    this.#browsers.set(key, browser);
    this.#notifyChange(); // a render that was waiting for this key to get a browser may continue
    return browser;
  }

  #release(key: string, browser: IsolatedBrowser): void {
    // after close() no timer is needed, and another browser may have the key
    if (this.#browsers.get(key) !== browser) return;
    browser.idleSinceMs = performance.now();
    browser.idleTimer = setTimeout(() => this.#closeBrowser(key), this.#options.idleMaxMs);
    this.#notifyChange();
  }

  #notifyChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #closeLongestIdle(): void {
    const idle = [...this.#browsers].filter(([, { renders }]) => renders === 0);
    const [longest] = idle.toSorted(([, left], [, right]) => left.idleSinceMs - right.idleSinceMs);
    if (longest) this.#closeBrowser(longest[0]);
  }

  #closeBrowser(key: string): void {
    const browser = this.#browsers.get(key);
    if (!browser) return;
    clearTimeout(browser.idleTimer);
    this.#browsers.delete(key);
    const closing = browser.tabs.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
