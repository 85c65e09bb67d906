import { availableParallelism } from "node:os";
import type { ConnectedBrowser } from "./connected-browser.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import { PageEnds } from "./page-ends.ts";
import type { RecycleReason } from "../renderer-event.ts";
import { openTab, type Tab, type TabHost } from "../page/tab.ts";

/** When a browser has served long enough. */
export interface RecyclingLimits {
  readonly recycleAfterRenders: number;
  readonly recycleAfterMs: number;
  readonly recycleAboveBytes: number;
}

/** What killed a page's process may have killed those of the tabs kept ready: a retry wants a new one. */
export type TabKind = "ready" | "new";

/** What its keeper tells of the life of a browser. */
export interface BrowserNews {
  readonly started: () => void;
  readonly ended: (reason: string) => void;
  readonly recycled: (reason: RecycleReason) => void;
}

export interface RenderingBrowserOptions {
  readonly openLane: () => Promise<PageEgress>;
  /** How many tabs are kept ready. */
  readonly warmContexts: number;
  /** `null`: it serves as long as it lasts. */
  readonly recycling: RecyclingLimits | null;
  /** Looks at the browser when its first tab is ready; it serves only if this does not throw. */
  readonly verify: (host: TabHost) => void | Promise<void>;
  readonly news: BrowserNews;
}

/** A browser at work: tabs kept ready, and tabs in use. */
export class RenderingBrowser {
  readonly browser: ConnectedBrowser;
  readonly host: TabHost;
  readonly news: BrowserNews;
  readonly #options: RenderingBrowserOptions;
  readonly #startedAtMs = performance.now();
  readonly #ready: Promise<Tab>[] = [];
  readonly #inUse = new Set<Tab>();
  #busy = 0;
  #lastingBytes = 0;
  #renders = 0;
  #retiring = false;

  private constructor(browser: ConnectedBrowser, options: RenderingBrowserOptions) {
    this.browser = browser;
    this.host = { browser, pageEnds: new PageEnds(), openLane: options.openLane };
    this.news = options.news;
    this.#options = options;
  }

  /** Resolves when a first tab is ready; rejects with the reason when it does not get that far. */
  static async start(browser: ConnectedBrowser, options: RenderingBrowserOptions): Promise<RenderingBrowser> {
    const started = new RenderingBrowser(browser, options);
    try {
      const first = openTab(started.host, null);
      started.#ready.push(first);
      await first;
      await options.verify(started.host);
      started.#refill();
      return started;
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  /** Renders that have a tab, or wait for theirs. */
  get busy(): number {
    return this.#busy;
  }

  /** What the browser's lasting processes hold, for its recycling. */
  noteLastingBytes(bytes: number): void {
    this.#lastingBytes = bytes;
  }

  /** A tab for `url`: a blank one that is ready if there is any, unless it must be `new`. */
  async take(kind: TabKind, url: string): Promise<Tab> {
    this.#renders += 1;
    this.#busy += 1;
    const target = this.browser.holdsPages ? url : null;
    try {
      const tab = (kind === "ready" ? await this.#takeReady() : null) ?? (await openTab(this.host, target));
      this.#inUse.add(tab);
      return tab;
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  /** Closes the tab; nobody has to wait for it. */
  giveBack(tab: Tab): void {
    this.#inUse.delete(tab);
    this.#rest(tab.close());
  }

  /** Why this browser should be replaced, if it should. */
  recycleReason(): RecycleReason | null {
    const { recycling } = this.#options;
    if (recycling === null) return null;
    if (this.#renders >= recycling.recycleAfterRenders) return "renders";
    if (performance.now() - this.#startedAtMs >= recycling.recycleAfterMs) return "age";
    return this.#lastingBytes > recycling.recycleAboveBytes ? "memory" : null;
  }

  /** Ends the browser once no tab is in use any more. */
  retire(): void {
    this.#retiring = true;
    if (this.#busy === 0) void this.kill();
  }

  /** Ends the browser, whatever it is doing. */
  async kill(): Promise<void> {
    this.#retiring = true;
    const tabs = await Promise.allSettled([this.browser.kill(), ...this.#ready.splice(0)]);
    const ready = tabs.flatMap((tab) => (tab.status === "fulfilled" && tab.value ? [tab.value] : []));
    await Promise.all([...ready, ...this.#inUse].map((tab) => tab.close()));
  }

  async #takeReady(): Promise<Tab | null> {
    for (let ready = this.#ready.shift(); ready; ready = this.#ready.shift()) {
      const tab = await ready.catch(() => null);
      if (tab && !tab.ended.aborted) return tab;
    }
    return null;
  }

  /**
   * Told of the end of each render. Tabs are got ready while there are processors that no render needs:
   * a page that is made for its address costs less than a blank one and a navigation.
   */
  #rest(closed: Promise<void> = Promise.resolve()): void {
    this.#busy -= 1;
    if (!this.#retiring && this.#busy < availableParallelism()) this.#refill();
    if (this.#retiring && this.#busy === 0) void closed.then(() => this.browser.kill());
  }

  #refill(): void {
    while (this.#ready.length < this.#options.warmContexts) {
      const opening = openTab(this.host, null);
      opening.catch(() => {}); // found out when it is taken
      this.#ready.push(opening);
    }
  }
}
