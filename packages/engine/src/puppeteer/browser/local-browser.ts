import { openProxiedEgress, type EgressProxyOptions } from "../proxy/proxy.ts";
import { findBrowser } from "./find-browser.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import { readProcessGroup } from "./process-group.ts";
import { RenderingBrowser, type BrowserListener, type RecyclingLimits } from "./rendering-browser.ts";
import type { BrowserSource } from "./browser-supervisor.ts";
import { probeBrowser, watchMemory, type WatchOptions } from "./watch-browser.ts";

const NO_BROWSER =
  "no browser found; install chromium-headless-shell (Debian), run `npx puppeteer browsers install chrome-headless-shell`, or set the path of a browser";

export interface LocalBrowserOptions
  extends Omit<LaunchOptions, "executablePath">, WatchOptions, RecyclingLimits {
  /** `null` searches at each start, which finds a browser installed later. */
  readonly executablePath: string | null;
  readonly egress: EgressProxyOptions;
  readonly warmContexts: number;
}

/** Launches browsers on this machine and monitors them. */
export function localBrowser(options: LocalBrowserOptions): BrowserSource {
  return {
    async start() {
      const executablePath = options.executablePath ?? (await findBrowser());
      if (executablePath === null) throw new Error(NO_BROWSER);
      const launched = await launchBrowser({ ...options, executablePath });
      const browser = await RenderingBrowser.start(launched, {
        openEgress: () => openProxiedEgress(options.egress),
        warmContexts: options.warmContexts,
        recycling: options,
        verify: () => {
          if (options.sandbox === "on") requireSandbox(launched.pid);
        },
        listener: lifecycleListener(launched, options),
        onEvent: options.onEvent,
      });
      watch({ browser, launched }, options);
      return browser;
    },
    onStartFailed: (failure) => options.onEvent({ type: "browser-start-failed", ...failure }),
  };
}

function lifecycleListener({ pid }: LaunchedBrowser, { onEvent }: LocalBrowserOptions): BrowserListener {
  return {
    onStarted: () => onEvent({ type: "browser-started", pid }),
    onEnded: (reason) => onEvent({ type: "browser-ended", pid, reason }),
    onRecycled: (reason) => onEvent({ type: "browser-recycled", pid, reason }),
  };
}

function watch(
  { browser, launched }: { readonly browser: RenderingBrowser; readonly launched: LaunchedBrowser },
  options: LocalBrowserOptions,
): void {
  const untilDisconnected = (monitor: Promise<void>): void => void monitor.catch(() => {});
  const watched = { launched, killedPages: browser.host.killedPages };
  untilDisconnected(probeBrowser(watched, options));
  untilDisconnected(watchMemory(watched, options, (bytes) => browser.setLongLivedBytes(bytes)));
}

/** Checks the processes themselves: a wrapper script may add `--no-sandbox`. */
function requireSandbox(pid: number): void {
  if (process.platform !== "linux") return;
  const renderers = readProcessGroup(pid).filter((member) => member.isRenderer);
  if (renderers.length > 0 && renderers.every((renderer) => renderer.isSandboxed)) return;
  throw new Error(
    'the browser runs its pages without a sandbox; enable its sandbox, or accept the risk and set the sandbox to "off"',
  );
}
