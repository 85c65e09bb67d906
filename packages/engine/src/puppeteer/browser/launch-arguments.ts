import { statfsSync } from "node:fs";

export type SandboxMode = "on" | "off";

/** With less, large pages crash their renderer process. Containers often have 64 MB. */
const SHARED_MEMORY_MIN_BYTES = 512 * 1024 * 1024;

/** Nothing listens here, so requests outside a render's browser context fail. */
const UNREACHABLE_PROXY = "http://127.0.0.1:9";

const CONTROL = ["--headless", "--remote-debugging-pipe", "--no-startup-window"];

/** Forces every connection through an egress proxy (docs/explanation/containment.md). */
const EGRESS = [
  `--proxy-server=${UNREACHABLE_PROXY}`,
  "--proxy-bypass-list=<-loopback>",
  // WebRTC would look up a `.local` name with multicast DNS even if it is mapped to ~NOTFOUND
  "--host-resolver-rules=MAP *.local 0.0.0.0 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  // headless-shell supports only the first, new headless only the second
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
];

/** Blocks pop-ups: `window.open` returns null. Only headless-shell supports it. */
const NO_POPUPS = "--block-new-web-contents";

/** Disables the browser's own requests and features. */
const QUIET = [
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-search-engine-choice-screen",
  "--disable-sync",
  "--metrics-recording-only",
  "--mute-audio",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--no-service-autorun",
  "--password-store=basic",
  "--use-mock-keychain",
];

/** The same rendering on every machine, and no throttling although no window is visible. */
const RENDERING = [
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // a mouse, which headless browsers lack: pages without a touch screen would match `hover: none`
  "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--lang=en-US",
];

const FEATURES_OFF = [
  // search for devices on the local network
  "MediaRouter",
  "DialMediaRouteProvider",
  // load resources that the page did not request
  "OptimizationHints",
  "Prerender2",
  "Translate",
  // requests https:// instead of http:// URLs
  "HttpsUpgrades",
  // keeps previous documents in memory, but a render never navigates back
  "BackForwardCache",
  // draws a warning above pages that are styled with XSLT, such as feeds
  "GenerateXSLTWarningBanner",
];

function isSharedMemorySmall(): boolean {
  try {
    const { blocks, bsize } = statfsSync("/dev/shm");
    return blocks * bsize < SHARED_MEMORY_MIN_BYTES;
  } catch {
    return true;
  }
}

/**
 * Makes every page, frame and worker send this user agent. Headless-shell would still identify itself in client hints;
 * `UACHOverrideBlank` leaves them blank.
 */
function userAgentArguments(userAgent: string | null): string[] {
  return userAgent === null ? [] : [`--user-agent=${userAgent}`, "--enable-features=UACHOverrideBlank"];
}

export interface LaunchSetup {
  readonly profileDir: string;
  readonly sandbox: SandboxMode;
  /** `null`: the browser's own. */
  readonly userAgent: string | null;
}

/** Returns all of the browser's arguments; Puppeteer's default list is not used. */
export function launchArguments(options: LaunchSetup): string[] {
  return [
    ...CONTROL,
    `--user-data-dir=${options.profileDir}`,
    ...EGRESS,
    NO_POPUPS,
    ...QUIET,
    ...RENDERING,
    ...userAgentArguments(options.userAgent),
    `--disable-features=${FEATURES_OFF.join(",")}`,
    ...(isSharedMemorySmall() ? ["--disable-dev-shm-usage"] : []),
    ...(options.sandbox === "off" ? ["--no-sandbox"] : []),
  ];
}
