import { openProxiedEgress, type EgressProxyOptions } from "../proxy/proxy.ts";
import { findBrowser } from "./find-browser.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import type { PageMonitor } from "./page-monitor.ts";
import { addsSeccompFilter, ProcessGroup } from "./process-group.ts";
import { RenderingBrowser, type BrowserListener, type RecyclingLimits } from "./rendering-browser.ts";
import type { RendererEvent } from "../renderer-event.ts";
import type { BrowserSource } from "./browser-supervisor.ts";

const NO_BROWSER =
  "no browser found; install chromium-headless-shell (Debian), run `npx puppeteer browsers install chrome-headless-shell`, or set SNAP_CHROMIUM_PATH (or executablePath, for an embedded renderer)";

export interface LocalBrowserOptions extends Omit<LaunchOptions, "executablePath">, RecyclingLimits {
  /** `null` searches at each start, so a browser that is installed later is found. */
  readonly executablePath: string | null;
  readonly egress: EgressProxyOptions;
  readonly warmContexts: number;
  readonly monitor: PageMonitor;
  /** Whether only one account uses the browser. */
  readonly isIsolated: boolean;
  readonly onEvent: (event: RendererEvent) => void;
}

/** Launches browsers on this machine and monitors them. */
export function createLocalBrowserSource(options: LocalBrowserOptions): BrowserSource {
  return {
    async start(closing) {
      const executablePath = options.executablePath ?? (await findBrowser());
      if (executablePath === null) throw new Error(NO_BROWSER);
      const launched = await launchBrowser({ ...options, executablePath }, closing);
      closing.addEventListener("abort", () => void launched.kill(), { signal: launched.disconnected });
      const group = new ProcessGroup(launched.pid);
      const renderingBrowser = await RenderingBrowser.start(launched, {
        processGroup: group,
        openEgress: () => openProxiedEgress(options.egress),
        warmContexts: options.warmContexts,
        recycling: options,
        verify: () => {
          if (options.sandbox === "on") requireSandbox(group);
        },
        listener: lifecycleListener(launched, options),
      });
      options.monitor.add({ launched, renderingBrowser, group, isIsolated: options.isIsolated });
      return renderingBrowser;
    },
    onStartFailed: (failure) => options.onEvent({ type: "browser-start-failed", ...failure }),
  };
}

function lifecycleListener(
  { pid, version }: LaunchedBrowser,
  { onEvent }: LocalBrowserOptions,
): BrowserListener {
  return {
    onStarted: () => onEvent({ type: "browser-started", pid, version }),
    onEnded: (reason) => onEvent({ type: "browser-ended", pid, reason }),
    onRecycled: (reason) => onEvent({ type: "browser-recycled", pid, reason }),
  };
}

/**
 * Checks the processes themselves, because a wrapper script may add `--no-sandbox`. A seccomp filter is the inner layer of
 * the sandbox, unless it is inherited, such as a container's.
 */
function requireSandbox(group: ProcessGroup): void {
  if (process.platform !== "linux") return;
  const renderers = group.read().filter(({ role }) => role === "renderer");
  const restricted = renderers.map(({ pid }) => addsSeccompFilter(pid)).filter((adds) => adds !== null);
  if (restricted.length > 0 && restricted.every((adds) => adds)) return;
  throw new Error(
    'the browser is running its pages without a sandbox; enable its sandbox, or accept the risk and set the sandbox to "off"',
  );
}
