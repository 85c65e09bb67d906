import { totalmem } from "node:os";
import { resolve } from "node:path";
import {
  isHostName,
  isUnspecifiedAddress,
  parseBrowserUrls,
  type BrowserEndpoint,
} from "../browser-endpoints.ts";
import { systemResolver } from "../egress/names/system-resolver.ts";
import type { UpstreamProxy } from "../egress/upstream-proxy.ts";
import { findFilterListProblem } from "../filter-lists/find-problem.ts";
import { guard, warn } from "../listeners.ts";
import type { FilterListTexts } from "../filter-lists/purposes.ts";
import { requireIntegers, withoutUndefined } from "../option-values.ts";
import type { Resolver } from "../ports/resolver.ts";
import { DEFAULT_MAX_RENDERING_BYTES } from "../rendering-limit.ts";
import { slotsForCores } from "../schedule/render-slots.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "../targets/policy.ts";
import { isUserAgent } from "../user-agent.ts";
import type { SandboxMode } from "./browser/launch-arguments.ts";
import type { BrowserEgress, RendererEvent } from "./renderer-event.ts";

/** Renderer options. The defaults are safe for untrusted pages. */
export interface PuppeteerRendererOptions {
  /** Path of the browser; by default, the one that `findBrowser` returns. */
  readonly executablePath?: string | undefined;
  /**
   * DevTools endpoints of remote browsers, used instead of a local one: `ws://` or `wss://`, or `http://` or `https://`
   * if the endpoint serves `/json/version`. None by default.
   */
  readonly browserUrls?: readonly string[];
  /**
   * How the pages of remote browsers reach the web: with `proxy`, the default, through the renderer's egress proxies;
   * with `direct`, directly from the browser's network, which must then itself keep them from reaching private hosts.
   */
  readonly browserEgress?: BrowserEgress;
  /**
   * Host name or address at which remote browsers reach this process's egress proxies. Required for `proxy` unless all
   * browsers are at loopback addresses.
   */
  readonly browserProxyHost?: string | undefined;
  /**
   * The user agent that pages send: 1 to 512 printable ASCII characters, without leading or trailing spaces. By
   * default, pages of a local browser send the user agent of the same version of Chrome, and those of a remote browser
   * that browser's own, without the word `Headless`.
   */
  readonly userAgent?: string | undefined;
  /** A local browser's sandbox. With `on`, the default, the browser does not start if the sandbox is not available. */
  readonly sandbox?: SandboxMode;
  /** Targets that pages may connect to; by default only public ones. */
  readonly targets?: TargetPolicy;
  /** Name resolution; `systemResolver` by default. */
  readonly resolver?: Resolver;
  /** Proxy for connections from pages; none by default. Set the same one for the engine. */
  readonly upstreamProxy?: UpstreamProxy | null;
  /**
   * Text of filter lists in Adblock Plus format, for `blockAds` and `blockTrackers`; without them, these parameters are
   * invalid. Compiled once.
   */
  readonly filterLists?: FilterListTexts;
  /** Timeout of a render, including its retries; 45,000 by default. */
  readonly renderTimeoutMs?: number;
  /** Timeout of the navigation and the wait for `waitUntil`; 30,000 by default. */
  readonly navigationTimeoutMs?: number;
  /** Maximum size of a rendering; 64 MiB by default. A render whose file is larger fails. */
  readonly maxRenderingBytes?: number;
  /**
   * Browser contexts to prepare in each browser ahead of renders, while it runs fewer renders than there are cores; 4
   * by default. An isolated browser prepares at most 1.
   */
  readonly warmContexts?: number;
  /** Renders after which a local browser is replaced; 1,000 by default. */
  readonly recycleAfterRenders?: number;
  /** Age from which a local browser is replaced when a render ends; an hour by default. */
  readonly recycleAfterMs?: number;
  /**
   * A local browser is replaced if its processes that do not run pages use more memory than this; 1 GiB by
   * default.
   */
  readonly recycleAboveBytes?: number;
  /**
   * A page in a local browser is ended if it uses more memory than this, counting its own processes and its share of
   * the growth of those that all pages share. By default 2 GiB, or a quarter of the machine's or container's memory if
   * that is less.
   */
  readonly pageMemoryMaxBytes?: number;
  /**
   * A page in a local browser is ended if it uses more CPU time than this, counting its own processes and its share of
   * the time of those that all pages share; 20,000 by default.
   */
  readonly pageCpuMaxMs?: number;
  /**
   * Maximum number of local browsers in addition to the shared one; by default two per core plus two, and at
   * least 8. While all of them are rendering, a render that needs another one waits. With the engine's
   * `isolation: "account"`, set at least its `concurrency`.
   */
  readonly isolatedBrowsersMax?: number;
  /** Idle time after which a browser other than the shared one is closed; 60,000 by default. */
  readonly isolatedIdleMaxMs?: number;
  /** Interval of the probes that check whether the browser responds; 1,000 by default. */
  readonly probeIntervalMs?: number;
  /**
   * Timeout of a probe; 2,500 by default. Isolated and remote browsers get three times the value. A browser
   * that misses two probes in a row is killed, or disconnected if it is remote.
   */
  readonly probeTimeoutMs?: number;
  /** Called with events to log or count. What it throws becomes a process warning. */
  readonly onEvent?: (event: RendererEvent) => void;
}

type Nullable = "executablePath" | "browserProxyHost" | "userAgent";

export type RendererSettings = Required<Omit<PuppeteerRendererOptions, Nullable | "browserUrls">> &
  Readonly<Record<Nullable, string | null>> & { readonly browserEndpoints: readonly BrowserEndpoint[] };

const GIBIBYTE_BYTES = 1024 ** 3;

const MAX_BYTES = Number.MAX_SAFE_INTEGER;

const BOUNDS = {
  renderTimeoutMs: { min: 1 },
  navigationTimeoutMs: { min: 1 },
  maxRenderingBytes: { min: 1, max: MAX_BYTES },
  warmContexts: { min: 0 },
  recycleAfterRenders: { min: 1 },
  recycleAfterMs: { min: 1 },
  recycleAboveBytes: { min: 1, max: MAX_BYTES },
  pageMemoryMaxBytes: { min: 1, max: MAX_BYTES },
  pageCpuMaxMs: { min: 1 },
  isolatedBrowsersMax: { min: 1 },
  isolatedIdleMaxMs: { min: 1 },
  probeIntervalMs: { min: 1 },
  probeTimeoutMs: { min: 1 },
} as const;

const ISOLATED_BROWSERS_MIN = 8;

function pageMemoryMaxBytes(): number {
  const limitBytes = process.constrainedMemory();
  const memoryBytes = Math.min(totalmem(), limitBytes > 0 ? limitBytes : Infinity);
  return Math.min(2 * GIBIBYTE_BYTES, Math.floor(memoryBytes / 4));
}

/**
 * Validates the options and adds the defaults.
 *
 * @throws RangeError that names the invalid option and the valid values.
 */
export function readOptions(given: PuppeteerRendererOptions): RendererSettings {
  const options = withoutUndefined(given);
  const { executablePath, userAgent, browserUrls: _urls, browserProxyHost: _host, ...rest } = options;
  const settings = {
    browserEgress: "proxy",
    sandbox: "on",
    targets: PUBLIC_TARGETS_ONLY,
    resolver: systemResolver,
    upstreamProxy: null,
    renderTimeoutMs: 45_000,
    navigationTimeoutMs: 30_000,
    maxRenderingBytes: DEFAULT_MAX_RENDERING_BYTES,
    warmContexts: 4,
    recycleAfterRenders: 1_000,
    recycleAfterMs: 3_600_000,
    recycleAboveBytes: GIBIBYTE_BYTES,
    pageMemoryMaxBytes: pageMemoryMaxBytes(),
    pageCpuMaxMs: 20_000,
    isolatedBrowsersMax: Math.max(ISOLATED_BROWSERS_MIN, slotsForCores()),
    isolatedIdleMaxMs: 60_000,
    probeIntervalMs: 1_000,
    probeTimeoutMs: 2_500,
    onEvent: () => {},
    ...rest,
    filterLists: withoutUndefined(rest.filterLists ?? {}),
  } satisfies Omit<RendererSettings, Nullable | "browserEndpoints">;
  if (settings.sandbox !== "on" && settings.sandbox !== "off")
    throw new RangeError('sandbox must be "on" or "off"');
  requireIntegers(settings, BOUNDS);
  if (settings.upstreamProxy !== null && settings.browserEgress === "direct")
    throw new RangeError('upstreamProxy requires browserEgress "proxy"');
  requireFilterLists(settings.filterLists);
  const remote = readRemote({ ...options, browserEgress: settings.browserEgress });
  if (userAgent !== undefined && !isUserAgent(userAgent))
    throw new RangeError(
      "userAgent must be 1 to 512 printable ASCII characters, without leading or trailing spaces",
    );
  return {
    ...settings,
    ...remote,
    onEvent: guard(settings.onEvent, warn),
    executablePath: executablePath === undefined ? null : toAbsolutePath(executablePath),
    userAgent: userAgent ?? null,
  };
}

/** A browser runs in another working directory. A command without a slash is looked up in `PATH`. */
function toAbsolutePath(executablePath: string): string {
  return executablePath.includes("/") ? resolve(executablePath) : executablePath;
}

function requireFilterLists(texts: FilterListTexts): void {
  for (const [purpose, text] of Object.entries(texts)) {
    const problem = findFilterListProblem(text);
    if (problem !== null) throw new RangeError(`filterLists.${purpose} ${problem}`);
  }
}

/** Secure by default: pages of a remote browser connect directly only with `browserEgress: "direct"`. */
function readRemote({
  browserUrls = [],
  browserProxyHost,
  browserEgress,
}: PuppeteerRendererOptions): Pick<RendererSettings, "browserEndpoints" | "browserProxyHost"> {
  if (browserEgress !== "proxy" && browserEgress !== "direct")
    throw new RangeError('browserEgress must be "proxy" or "direct"');
  const browserEndpoints = readEndpoints(browserUrls);
  if (
    browserEgress === "proxy" &&
    browserProxyHost === undefined &&
    !browserEndpoints.every(({ isLoopback }) => isLoopback)
  )
    throw new RangeError(
      "browserProxyHost must be the host name or address at which remote browsers reach this process's egress " +
        'proxies; or set browserEgress to "direct" if their network itself keeps pages from reaching private hosts',
    );
  if (browserProxyHost !== undefined && !isHostName(browserProxyHost))
    throw new RangeError(
      "browserProxyHost must be a host name or address, without brackets, a scheme or a port, such as 10.0.0.5, " +
        "fd00::5 or snap-1",
    );
  if (browserProxyHost !== undefined && isUnspecifiedAddress(browserProxyHost))
    throw new RangeError(
      "browserProxyHost must be a host name or address at which remote browsers reach this process; " +
        `browsers cannot connect to ${browserProxyHost}, and the egress proxies would listen on every interface`,
    );
  return { browserEndpoints, browserProxyHost: browserProxyHost ?? null };
}

function readEndpoints(urls: readonly string[]): readonly BrowserEndpoint[] {
  try {
    return parseBrowserUrls(urls);
  } catch (error) {
    throw new RangeError(`browserUrls: ${(error as Error).message}`, { cause: error });
  }
}
