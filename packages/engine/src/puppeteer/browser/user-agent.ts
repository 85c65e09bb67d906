/** The user agent that a browser's pages send, unless their render sets another. */
export interface PageUserAgent {
  readonly text: string;
  /** Whether each page must set it, because the browser's own user agent or client hints differ. */
  readonly isOverride: boolean;
}

/** As Chrome reports them, whatever the system's version and CPU (User-Agent reduction). */
const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "Macintosh; Intel Mac OS X 10_15_7",
  win32: "Windows NT 10.0; Win64; x64",
};
const LINUX = "X11; Linux x86_64";

/**
 * Returns Chrome's user agent on this system; `null` if `product`, such as `Chromium 156.0.8078.79`, has no version.
 */
export function chromeUserAgent(product: string): string | null {
  const [, majorVersion = null] = /\b(\d+)\.\d+\.\d+\.\d+\b/.exec(product) ?? [];
  if (majorVersion === null) return null;
  const platform = PLATFORMS[process.platform] ?? LINUX;
  return `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorVersion}.0.0.0 Safari/537.36`;
}

/** What a browser reports about itself. */
export interface BrowserReport {
  readonly product: string;
  /** Absent if the endpoint is not a real browser. */
  readonly userAgent?: string | undefined;
}

/**
 * Returns the user agent for the pages of a browser that this service did not start: `configured`, or the browser's own
 * without the word Headless. A headless browser's client hints contain the word even if its user agent does not.
 */
export function userAgentOfRemote(
  { product, userAgent = "" }: BrowserReport,
  configured: string | null,
): PageUserAgent {
  const text = configured ?? withoutHeadless(userAgent);
  return { text, isOverride: text !== userAgent || product.startsWith("Headless") };
}

/** Replaces `HeadlessChrome` with `Chrome`, and leaves only the major version, as Chrome does. */
export function withoutHeadless(userAgent: string): string {
  return userAgent.replace(/\bHeadlessChrome\/(\d+)[\d.]*/, "Chrome/$1.0.0.0");
}
