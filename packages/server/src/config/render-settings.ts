import { oneOf } from "../requests/fields.ts";
import { browserUrls, MAX_BYTES, path, reachableHostName, userAgent, wholeNumber } from "./fields.ts";
import { optional, type Setting } from "./setting.ts";

const NAVIGATION_DEFAULT_MS = 30_000;
const MEBIBYTE_BYTES = 1024 * 1024;
/** An empty page alone takes 15 MiB. A limit below this minimum would end harmless pages. */
const PAGE_MEMORY_MIN_BYTES = 64 * MEBIBYTE_BYTES;

/** Which browser renders, and what a page may use. */
export const RENDER_SETTINGS = {
  chromiumPath: {
    variable: "SNAP_CHROMIUM_PATH",
    schema: optional(path()),
    description: "path to the browser",
    unset: "the browser that puppeteer installed, or the system's",
  },
  sandbox: {
    variable: "SNAP_SANDBOX",
    schema: oneOf("on", "off"),
    description: "the browser's sandbox: on or off",
    default: "on",
  },
  browserEndpoints: {
    variable: "SNAP_BROWSER_URL",
    secret: true,
    schema: browserUrls().default([]),
    description: "DevTools endpoints of remote browsers, comma-separated, to use instead of a local browser",
    unset: "a local browser is started",
  },
  browserProxyHost: {
    variable: "SNAP_BROWSER_PROXY_HOST",
    schema: optional(reachableHostName()),
    description: "name or address at which remote browsers reach this process's egress proxy",
    unset: "the loopback address, if all of them run on this machine",
  },
  browserEgress: {
    variable: "SNAP_BROWSER_EGRESS",
    schema: oneOf("proxy", "direct"),
    description:
      "how pages in remote browsers reach the web: through the egress proxy, or directly, which leaves containment to the browser's own network",
    default: "proxy",
  },
  userAgent: {
    variable: "SNAP_USER_AGENT",
    schema: optional(userAgent()),
    description: "user agent that pages send, unless a request sets another",
    unset: "Chrome's, with the browser's version, without the word Headless",
  },
  renderConcurrency: {
    variable: "SNAP_RENDER_CONCURRENCY",
    schema: optional(wholeNumber({ min: 1, max: 256 })),
    description: "maximum number of renders that run at once",
    unset:
      "one per 128 MiB of available memory, but from two per core plus two to 16 per core; with SNAP_BROWSER_URL or SNAP_ISOLATION=account, two per core plus two",
  },
  renderTimeoutMs: {
    variable: "SNAP_RENDER_TIMEOUT_MS",
    schema: wholeNumber({ min: 1000, max: 600_000 }),
    description: "overall timeout of a render, in milliseconds",
    default: "45000",
  },
  navigationTimeoutMs: {
    variable: "SNAP_NAVIGATION_TIMEOUT_MS",
    schema: optional(wholeNumber({ min: 1000, max: 600_000 })),
    description: "timeout for loading the page, in milliseconds",
    unset: "30000, or SNAP_RENDER_TIMEOUT_MS if that is lower",
  },
  maxRenderingBytes: {
    variable: "SNAP_MAX_RENDERING_BYTES",
    schema: wholeNumber({ min: MEBIBYTE_BYTES, max: 512 * MEBIBYTE_BYTES }),
    description: "largest image or PDF, in bytes; a render with a larger one fails and is refunded",
    default: "67108864",
  },
  pageMemoryBytes: {
    variable: "SNAP_PAGE_MEMORY_BYTES",
    schema: optional(wholeNumber({ min: PAGE_MEMORY_MIN_BYTES, max: MAX_BYTES })),
    description:
      "memory that a page may use, across all its processes, in bytes; beyond it, the page is ended",
    unset: "2147483648 (2 GiB), or a quarter of the memory if that is less",
  },
  pageCpuSeconds: {
    variable: "SNAP_PAGE_CPU_SECONDS",
    schema: wholeNumber({ min: 1, max: 3600 }),
    description:
      "CPU time that a page may use, across all its processes, in seconds; after it, the page is ended",
    default: "20",
  },
  isolation: {
    variable: "SNAP_ISOLATION",
    schema: oneOf("shared", "account"),
    description:
      "which renders share a browser: those of all accounts except quarantined ones (shared), or only those of the same account (account)",
    default: "shared",
  },
} as const satisfies Record<string, Setting>;

/** Default of the navigation timeout: never longer than the overall render timeout. */
export function defaultNavigationTimeoutMs(renderTimeoutMs: number): number {
  return Math.min(NAVIGATION_DEFAULT_MS, renderTimeoutMs);
}
