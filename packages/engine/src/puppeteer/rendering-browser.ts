import { availableParallelism } from "node:os";
import type { EgressProxyOptions } from "./egress-proxy.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import { PageEnds } from "./page-ends.ts";
import { readProcessGroup } from "./process-group.ts";
import type { RecycleReason, RendererEvent } from "./renderer-event.ts";
import { openTab, type Tab } from "./tab.ts";
import { probeBrowser, watchMemory, type WatchOptions } from "./watch-browser.ts";

/** When a browser has served long enough. */
export interface RecyclingLimits {
  readonly recycleAfterRenders: number;
  readonly recycleAfterMs: number;
  readonly recycleAboveBytes: number;
}

/** What killed a page's process may have killed those of the tabs kept ready: a retry wants a new one. */
export type TabKind = "ready" | "new";

export interface RenderingBrowserOptions extends LaunchOptions, WatchOptions, RecyclingLimits {
  readonly egress: EgressProxyOptions;
  /** How many tabs are kept ready. */
  readonly warmContexts: number;
  readonly onEvent: (event: RendererEvent) => void;
}

/** A browser at work: tabs kept ready, tabs in use, and a watch over its processes. */
export class RenderingBrowser {
  readonly launched: LaunchedBrowser;
  readonly #options: RenderingBrowserOptions;
  readonly #startedAtMs = performance.now();
  readonly #ready: Promise<Tab>[] = [];
  readonly #inUse = new Set<Tab>();
  /** Renders that have a tab, or wait for theirs to open. */
  #busy = 0;
  readonly #pageEnds = new PageEnds();
  #lastingBytes = 0;
  #renders = 0;
  #retiring = false;

  private constructor(launched: LaunchedBrowser, options: RenderingBrowserOptions) {
    this.launched = launched;
    this.#options = options;
  }

  /** Resolves when a first tab is ready; rejects with the reason when it does not get that far. */
  static async start(options: RenderingBrowserOptions): Promise<RenderingBrowser> {
    const launched = await launchBrowser(options);
    const started = new RenderingBrowser(launched, options);
    try {
      const first = started.#open(null);
      started.#ready.push(first);
      await first;
      if (options.sandbox === "on") requireSandbox(launched.pid);
      started.#refill();
      started.#watch();
      return started;
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  /** A tab for `url`: a blank one that is ready if there is any, unless it must be `new`. */
  async take(kind: TabKind, url: string): Promise<Tab> {
    this.#renders += 1;
    this.#busy += 1;
    const target = this.launched.holdsPages ? url : null;
    try {
      const tab = (kind === "ready" ? await this.#takeReady() : null) ?? (await this.#open(target));
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
    if (this.#renders >= this.#options.recycleAfterRenders) return "renders";
    if (performance.now() - this.#startedAtMs >= this.#options.recycleAfterMs) return "age";
    return this.#lastingBytes > this.#options.recycleAboveBytes ? "memory" : null;
  }

  /** Ends the browser once no tab is in use any more. */
  retire(): void {
    this.#retiring = true;
    if (this.#busy === 0) void this.kill();
  }

  /** Ends the browser, whatever it is doing. */
  async kill(): Promise<void> {
    this.#retiring = true;
    const tabs = await Promise.allSettled([this.launched.kill(), ...this.#ready.splice(0)]);
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
    if (this.#retiring && this.#busy === 0) void closed.then(() => this.launched.kill());
  }

  #open(url: string | null): Promise<Tab> {
    return openTab({ launched: this.launched, pageEnds: this.#pageEnds }, this.#options.egress, url);
  }

  #refill(): void {
    while (this.#ready.length < this.#options.warmContexts) {
      const opening = this.#open(null);
      opening.catch(() => {}); // found out when it is taken
      this.#ready.push(opening);
    }
  }

  #watch(): void {
    const untilGone = (watching: Promise<void>): void => void watching.catch(() => {});
    const watched = { launched: this.launched, pageEnds: this.#pageEnds };
    untilGone(probeBrowser(watched, this.#options));
    untilGone(watchMemory(watched, this.#options, (bytes) => (this.#lastingBytes = bytes)));
  }
}

/** A browser started through somebody's script may have been told to go without; that is no sandbox. */
function requireSandbox(pid: number): void {
  if (process.platform !== "linux") return;
  const renderers = readProcessGroup(pid).filter((member) => member.isRenderer);
  if (renderers.length > 0 && renderers.every((renderer) => renderer.isSandboxed)) return;
  throw new Error(
    'the browser runs its pages without a sandbox: mend that, or accept the risk and set the sandbox to "off"',
  );
}
