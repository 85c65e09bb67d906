import { isUnspecifiedAddress, parseBrowserUrls, type BrowserEndpoint } from "../browser-endpoints.ts";
import { systemResolver, type Resolver } from "../ports/resolver.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "../targets/policy.ts";
import type { SandboxMode } from "./browser/launch-arguments.ts";
import type { BrowserEgress, RendererEvent } from "./renderer-event.ts";

/** How pages are rendered. Everything has a default that is safe with strangers' pages. */
export interface PuppeteerRendererOptions {
  /** The browser; looked for with `findBrowser` unless given. */
  readonly executablePath?: string | undefined;
  /**
   * DevTools endpoints of browsers that run elsewhere, to be used instead of one of our own: `ws://` and
   * `wss://`, or `http://` and `https://` of one that names it at `/json/version`. None unless given.
   */
  readonly browserUrls?: readonly string[];
  /**
   * How their pages reach the web: `proxy`, the default, through egress proxies of ours; `direct`, which
   * must be asked for, from where the browser is, so that its network is what contains them.
   */
  readonly browserEgress?: BrowserEgress;
  /**
   * Name or address of this process by which those browsers reach our proxies. Needed for `proxy` unless
   * all of them are on the loopback.
   */
  readonly browserProxyHost?: string | undefined;
  /** Chromium's own sandbox, of a browser of ours. `off` must be asked for; `on`, the default, fails where it can't work. */
  readonly sandbox?: SandboxMode;
  /** Which targets may be connected to; only public ones unless given. */
  readonly targets?: TargetPolicy;
  /** Name resolution; the operating system's unless given. */
  readonly resolver?: Resolver;
  /** For a whole render, the retry included; 45,000 unless given. */
  readonly renderTimeoutMs?: number;
  /** For a navigation and the wait for `waitUntil`; 30,000 unless given. */
  readonly navigationTimeoutMs?: number;
  /** Browser contexts that are made ready, while processors are free, for the renders to come; 4 unless given. */
  readonly warmContexts?: number;
  /** Renders after which the browser is replaced; 1,000 unless given. */
  readonly recycleAfterRenders?: number;
  /** Age at which the browser is replaced; an hour unless given. */
  readonly recycleAfterMs?: number;
  /** Memory of the browser's lasting processes above which it is replaced; 1 GiB unless given. */
  readonly recycleAboveBytes?: number;
  /** Memory above which a page's process is ended; 2 GiB unless given. */
  readonly pageMemoryMaxBytes?: number;
  /** How often the browser is asked whether it still answers; 5,000 unless given. */
  readonly probeIntervalMs?: number;
  /** How long it may take to answer; 5,000 unless given. Ended when it failed to, twice in a row. */
  readonly probeTimeoutMs?: number;
  /** Told what the operator may want to log or count. */
  readonly onEvent?: (event: RendererEvent) => void;
}

type Nullable = "executablePath" | "browserProxyHost";

export type RendererSettings = Required<Omit<PuppeteerRendererOptions, Nullable | "browserUrls">> &
  Readonly<Record<Nullable, string | null>> & { readonly browserEndpoints: readonly BrowserEndpoint[] };

const GIBIBYTE_BYTES = 1024 ** 3;

const LEAST = {
  renderTimeoutMs: 1,
  navigationTimeoutMs: 1,
  warmContexts: 0,
  recycleAfterRenders: 1,
  recycleAfterMs: 1,
  recycleAboveBytes: 1,
  pageMemoryMaxBytes: 1,
  probeIntervalMs: 1,
  probeTimeoutMs: 1,
} as const;

/** The longest a timer of JavaScript can take. */
const MOST = 2 ** 31 - 1;
const MOST_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * Fills in the defaults.
 *
 * @throws RangeError that names the option at fault and the values that would do
 */
export function readOptions(options: PuppeteerRendererOptions): RendererSettings {
  const { executablePath, browserUrls: _urls, browserProxyHost: _host, ...given } = options;
  const settings = {
    browserEgress: "proxy",
    sandbox: "on",
    targets: PUBLIC_TARGETS_ONLY,
    resolver: systemResolver,
    renderTimeoutMs: 45_000,
    navigationTimeoutMs: 30_000,
    warmContexts: 4,
    recycleAfterRenders: 1_000,
    recycleAfterMs: 3_600_000,
    recycleAboveBytes: GIBIBYTE_BYTES,
    pageMemoryMaxBytes: 2 * GIBIBYTE_BYTES,
    probeIntervalMs: 5_000,
    probeTimeoutMs: 5_000,
    onEvent: () => {},
    ...given,
  } satisfies Omit<RendererSettings, Nullable | "browserEndpoints">;
  if (settings.sandbox !== "on" && settings.sandbox !== "off")
    throw new RangeError('sandbox must be "on" or "off"');
  for (const [name, least] of Object.entries(LEAST) as [keyof typeof LEAST, number][]) {
    const most = name.endsWith("Bytes") ? MOST_BYTES : MOST;
    const value = settings[name];
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    throw new RangeError(`${name} must be an integer from ${least} to ${most}`);
  }
  const remote = readRemote({ ...options, browserEgress: settings.browserEgress });
  return { ...settings, ...remote, executablePath: executablePath ?? null };
}

/** Closed by default: pages of a browser elsewhere don't go out from there unless that was asked for. */
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
      "browserProxyHost must be the host name or address at which remote browsers reach the egress proxies of this " +
        'process; or set browserEgress to "direct" if their network contains the pages',
    );
  if (browserProxyHost !== undefined && isUnspecifiedAddress(browserProxyHost))
    throw new RangeError(
      "browserProxyHost must be a host name or address at which remote browsers reach this process; " +
        `${browserProxyHost} is not reachable and would listen on every interface`,
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
