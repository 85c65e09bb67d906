import { availableParallelism } from "node:os";
import type { ConnectedBrowser } from "./connected-browser.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import { KilledProcesses } from "./killed-processes.ts";
import type { ProcessGroup } from "./process-group.ts";
import type { RecycleReason } from "../renderer-event.ts";
import { openTab, type Tab, type TabHost } from "../page/tab.ts";

/** Limits after which a browser is replaced. */
export interface RecyclingLimits {
  readonly recycleAfterRenders: number;
  readonly recycleAfterMs: number;
  readonly recycleAboveBytes: number;
}

/** A retry needs a `new` tab: whatever killed a page's process may also have killed the ready tabs' processes. */
export type TabKind = "ready" | "new";

/** The browser's supervisor calls these. */
export interface BrowserListener {
  readonly onStarted: () => void;
  readonly onEnded: (reason: string) => void;
  readonly onRecycled: (reason: RecycleReason) => void;
}

export interface RenderingBrowserOptions {
  /** The processes of a local browser; `null` for a remote one. */
  readonly processGroup: ProcessGroup | null;
  readonly openEgress: () => Promise<PageEgress>;
  /** Number of ready tabs. */
  readonly warmContexts: number;
  /** `null`: the browser is never recycled. */
  readonly recycling: RecyclingLimits | null;
  /** Called when the first tab is ready; the browser is used only if this does not throw. */
  readonly verify: (host: TabHost) => void | Promise<void>;
  readonly listener: BrowserListener;
}

/** A running browser with its ready tabs and tabs in use. */
export class RenderingBrowser {
  readonly browser: ConnectedBrowser;
  readonly host: TabHost;
  readonly listener: BrowserListener;
  readonly #options: RenderingBrowserOptions;
  readonly #startedAtMs = performance.now();
  readonly #ready: Promise<Tab>[] = [];
  readonly #inUse = new Set<Tab>();
  #activeRenders = 0;
  #longLivedBytes = 0;
  #renders = 0;
  #isRetiring = false;

  private constructor(browser: ConnectedBrowser, options: RenderingBrowserOptions) {
    this.browser = browser;
    const { processGroup, openEgress } = options;
    this.host = { browser, processGroup, killedProcesses: new KilledProcesses(), openEgress };
    this.listener = options.listener;
    this.#options = options;
  }

  /** Resolves when the first tab is ready and `verify` has passed; otherwise rejects and kills the browser. */
  static async start(browser: ConnectedBrowser, options: RenderingBrowserOptions): Promise<RenderingBrowser> {
    const instance = new RenderingBrowser(browser, options);
    try {
      const first = openTab(instance.host, null);
      instance.#ready.push(first);
      await first;
      await options.verify(instance.host);
      instance.#refill();
      return instance;
    } catch (error) {
      await instance.kill();
      throw error;
    }
  }

  /** Number of renders that have a tab or are waiting for one. */
  get activeRenders(): number {
    return this.#activeRenders;
  }

  /** The tabs in which a page is being rendered. */
  get tabsInUse(): ReadonlySet<Tab> {
    return this.#inUse;
  }

  /** Number of renders that have ended. */
  get finishedRenders(): number {
    return this.#renders - this.#activeRenders;
  }

  /** Records the memory of the processes that do not run pages; `recycleReason` compares it with the limit. */
  setLongLivedBytes(bytes: number): void {
    this.#longLivedBytes = bytes;
  }

  /** Acquires a tab for `url`: a ready one if `kind` allows it and there is one, otherwise a new one. */
  async acquireTab(kind: TabKind, url: string | null): Promise<Tab> {
    this.#renders += 1;
    this.#activeRenders += 1;
    const target = this.browser.pausesNewPages ? url : null;
    try {
      const tab =
        (kind === "ready" ? await this.#takeReadyTab() : null) ?? (await openTab(this.host, target));
      this.#inUse.add(tab);
      return tab;
    } catch (error) {
      this.#endRender();
      throw error;
    }
  }

  /** Closes the tab in the background. */
  releaseTab(tab: Tab): void {
    this.#inUse.delete(tab);
    this.#endRender(tab.close());
  }

  /** Returns why this browser is due for replacement; `null` if it is not. */
  recycleReason(): RecycleReason | null {
    const { recycling } = this.#options;
    if (recycling === null) return null;
    if (this.#renders >= recycling.recycleAfterRenders) return "renders";
    if (performance.now() - this.#startedAtMs >= recycling.recycleAfterMs) return "age";
    return this.#longLivedBytes > recycling.recycleAboveBytes ? "memory" : null;
  }

  /** Kills the browser once no tab is in use. */
  retire(): void {
    this.#isRetiring = true;
    if (this.#activeRenders === 0) void this.kill();
  }

  /** Kills the browser and its running renders immediately. */
  async kill(): Promise<void> {
    this.#isRetiring = true;
    const tabs = await Promise.allSettled([this.browser.kill(), ...this.#ready.splice(0)]);
    const ready = tabs.flatMap((tab) => (tab.status === "fulfilled" && tab.value ? [tab.value] : []));
    await Promise.all([...ready, ...this.#inUse].map((tab) => tab.close()));
  }

  async #takeReadyTab(): Promise<Tab | null> {
    for (let ready = this.#ready.shift(); ready; ready = this.#ready.shift()) {
      const tab = await ready.catch(() => null);
      if (tab && !tab.ended.aborted) return tab;
      void tab?.close();
    }
    return null;
  }

  /**
   * Prepares ready tabs only while fewer renders are active than there are cores: opening a page
   * directly at its URL costs less than opening a blank one and navigating.
   */
  #endRender(closed: Promise<void> = Promise.resolve()): void {
    this.#activeRenders -= 1;
    if (!this.#isRetiring && this.#activeRenders < availableParallelism()) this.#refill();
    if (this.#isRetiring && this.#activeRenders === 0) void closed.then(() => this.browser.kill());
  }

  #refill(): void {
    while (this.#ready.length < this.#options.warmContexts) {
      const opening = openTab(this.host, null);
      opening.catch(() => {}); // handled when the tab is taken
      this.#ready.push(opening);
    }
  }
}
