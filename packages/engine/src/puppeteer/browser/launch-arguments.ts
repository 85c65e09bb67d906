import { statfsSync } from "node:fs";

export type SandboxMode = "on" | "off";

/** Below this a page of some size brings a renderer down; containers often come with 64 MB. */
const SHARED_MEMORY_MIN_BYTES = 512 * 1024 * 1024;

/** Nothing listens there: what isn't in a context of a render has no way out. */
const DEAD_END_PROXY = "http://127.0.0.1:9";

const CONTROL = ["--headless", "--remote-debugging-pipe", "--no-startup-window"];

/** egress.md: every connection goes through a proxy of ours, and nothing goes around it. */
const EGRESS = [
  `--proxy-server=${DEAD_END_PROXY}`,
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  // headless-shell obeys only the first of these two, new headless only the second
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
];

/** One page for a render: `window.open` answers null, as where pop-ups are blocked. headless-shell obeys. */
const NO_POPUPS = "--block-new-web-contents";

/** Nothing but the page itself asks for anything. */
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

/** The same picture on every machine, and at full speed although no window is in front. */
const RENDERING = [
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
  "--lang=en-US",
];

const FEATURES_OFF = [
  // would look for devices on the local network
  "MediaRouter",
  "DialMediaRouteProvider",
  // would load what was not asked for
  "OptimizationHints",
  "Prerender2",
  "Translate",
  // http:// is rendered as http://
  "HttpsUpgrades",
  // keeps left documents in memory; a render never goes back
  "BackForwardCache",
];

function sharedMemoryIsScarce(): boolean {
  try {
    const { blocks, bsize } = statfsSync("/dev/shm");
    return blocks * bsize < SHARED_MEMORY_MIN_BYTES;
  } catch {
    return true;
  }
}

/** Every argument that the browser is started with; puppeteer's own list is not used. */
export function launchArguments(options: { profileDir: string; sandbox: SandboxMode }): string[] {
  return [
    ...CONTROL,
    `--user-data-dir=${options.profileDir}`,
    ...EGRESS,
    NO_POPUPS,
    ...QUIET,
    ...RENDERING,
    `--disable-features=${FEATURES_OFF.join(",")}`,
    ...(sharedMemoryIsScarce() ? ["--disable-dev-shm-usage"] : []),
    ...(options.sandbox === "off" ? ["--no-sandbox"] : []),
  ];
}
