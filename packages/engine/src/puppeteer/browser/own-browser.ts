import { openProxiedEgress, type EgressProxyOptions } from "../proxy/proxy.ts";
import { findBrowser } from "./find-browser.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import { readProcessGroup } from "./process-group.ts";
import { RenderingBrowser, type BrowserNews, type RecyclingLimits } from "./rendering-browser.ts";
import type { BrowserSource } from "./tab-supply.ts";
import { probeBrowser, watchMemory, type WatchOptions } from "./watch-browser.ts";

const NO_BROWSER =
  "no browser found; install chromium-headless-shell (Debian), run `npx puppeteer browsers install chrome-headless-shell`, or set the path of a browser";

export interface OwnBrowserOptions
  extends Omit<LaunchOptions, "executablePath">, WatchOptions, RecyclingLimits {
  /** `null`: looked for at each start, so that one installed later is found. */
  readonly executablePath: string | null;
  readonly egress: EgressProxyOptions;
  readonly warmContexts: number;
}

/** Browsers of our own: started here, watched, and ended by us. */
export function ownBrowser(options: OwnBrowserOptions): BrowserSource {
  return {
    async start() {
      const executablePath = options.executablePath ?? (await findBrowser());
      if (executablePath === null) throw new Error(NO_BROWSER);
      const launched = await launchBrowser({ ...options, executablePath });
      const browser = await RenderingBrowser.start(launched, {
        openLane: () => openProxiedEgress(options.egress),
        warmContexts: options.warmContexts,
        recycling: options,
        verify: () => {
          if (options.sandbox === "on") requireSandbox(launched.pid);
        },
        news: newsOf(launched, options),
      });
      watch({ browser, launched }, options);
      return browser;
    },
    onStartFailed: (failure) => options.onEvent({ type: "browser-start-failed", ...failure }),
  };
}

function newsOf({ pid }: LaunchedBrowser, { onEvent }: OwnBrowserOptions): BrowserNews {
  return {
    started: () => onEvent({ type: "browser-started", pid }),
    ended: (reason) => onEvent({ type: "browser-ended", pid, reason }),
    recycled: (reason) => onEvent({ type: "browser-recycled", pid, reason }),
  };
}

function watch(
  { browser, launched }: { readonly browser: RenderingBrowser; readonly launched: LaunchedBrowser },
  options: OwnBrowserOptions,
): void {
  const untilGone = (watching: Promise<void>): void => void watching.catch(() => {});
  const watched = { launched, pageEnds: browser.host.pageEnds };
  untilGone(probeBrowser(watched, options));
  untilGone(watchMemory(watched, options, (bytes) => browser.noteLastingBytes(bytes)));
}

/** A browser started through somebody's script may have been told to go without; that is no sandbox. */
function requireSandbox(pid: number): void {
  if (process.platform !== "linux") return;
  const renderers = readProcessGroup(pid).filter((member) => member.isRenderer);
  if (renderers.length > 0 && renderers.every((renderer) => renderer.isSandboxed)) return;
  throw new Error(
    'the browser runs its pages without a sandbox; enable its sandbox, or accept the risk and set the sandbox to "off"',
  );
}
