import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { abortable } from "../../timeouts.ts";
import { resolveWebSocketUrl } from "./resolve-endpoint.ts";
import { BrowserUnavailable } from "./browser-unavailable.ts";
import { connectPuppeteer } from "./connect-puppeteer.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";
import { describe, readProduct } from "../describe.ts";
import { createAndAttachPage, watchPages } from "../page/create-page.ts";
import type { ProtocolTransport } from "./protocol-transport.ts";
import { takeOverConnection } from "./take-over-connection.ts";
import { userAgentOfRemote } from "./user-agent.ts";
import { openWebSocket, openWebSocketTransport } from "./websocket.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** Some builds query the GPU before they respond to `SystemInfo.getInfo`. */
const COMMAND_LINE_TIMEOUT_MS = 2_000;

/** A connected remote browser. `kill` only closes the connection, which disposes this process's browser contexts. */
export interface RemoteBrowser extends ConnectedBrowser {
  /** Product and version that it reports, such as `HeadlessChrome/156.0.0.0`. */
  readonly version: string;
  /** Its command line; `null` if it does not report one. */
  readonly commandLine: string | null;
  /** IP addresses of the connection. */
  readonly remoteAddress: string;
  readonly localAddress: string;
}

/**
 * Connects to a remote browser.
 *
 * @throws BrowserUnavailable if the endpoint cannot be reached, rejects the connection, does not respond within ten
 * seconds, or does not speak the DevTools protocol.
 */
export async function connectBrowser(
  endpoint: BrowserEndpoint,
  { userAgent }: { readonly userAgent: string | null },
  closing: AbortSignal,
): Promise<RemoteBrowser> {
  const { origin } = endpoint;
  const signal = AbortSignal.any([closing, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
  try {
    const url = await resolveWebSocketUrl(endpoint, signal);
    const { socket, ...addresses } = await openWebSocket(url, endpoint, signal);
    const disconnected = new AbortController();
    socket.on("close", (code) =>
      disconnected.abort(new BrowserUnavailable(`the connection to ${origin} closed (code ${code})`)),
    );
    const untilDisconnected = AbortSignal.any([signal, disconnected.signal]);
    const kill = async (): Promise<void> => socket.terminate();
    try {
      const attached = await abortable(untilDisconnected, attach(openWebSocketTransport(socket), userAgent));
      return { ...attached, ...addresses, disconnected: disconnected.signal, kill };
    } catch (error) {
      await kill();
      throw error;
    }
  } catch (error) {
    closing.throwIfAborted();
    if (error instanceof BrowserUnavailable) throw error;
    if (signal.aborted)
      throw new BrowserUnavailable(`${origin} did not respond within ${CONNECT_TIMEOUT_MS / 1000} s`);
    throw new BrowserUnavailable(`${origin} does not speak the DevTools protocol: ${describe(error)}`);
  }
}

type AttachedBrowser = Omit<RemoteBrowser, "disconnected" | "kill" | "remoteAddress" | "localAddress">;

async function attach(
  transport: ProtocolTransport,
  configuredUserAgent: string | null,
): Promise<AttachedBrowser> {
  const browser = await connectPuppeteer(transport);
  const [version, ownUserAgent, connected] = await Promise.all([
    browser.version(),
    browser.userAgent(),
    takeOverConnection(browser, transport),
  ]);
  const product = readProduct(version);
  const { connection } = connected;
  // without auto-attach, nothing else reports pop-ups
  await connection.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] });
  const commandLine = await connection
    .send("SystemInfo.getInfo", undefined, { timeout: COMMAND_LINE_TIMEOUT_MS })
    .then(
      // the protocol says `string`, but a remote endpoint can send anything
      ({ commandLine: value }: { commandLine: unknown }) => (typeof value === "string" ? value : null),
      () => null,
    );
  // pausing new pages would also pause those of the browser's other clients
  return {
    connection,
    version: product,
    userAgent: userAgentOfRemote({ product, userAgent: ownUserAgent }, configuredUserAgent),
    commandLine,
    pausesNewPages: false,
    createPage: (request) => createAndAttachPage(connected, request),
    onPageOpened: watchPages(connection, "Target.targetCreated"),
    onSharedWorker: () => () => {},
  };
}
