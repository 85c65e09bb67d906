import { connect } from "puppeteer";
import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { unless } from "../../timeouts.ts";
import { findWebSocketUrl } from "./ask-endpoint.ts";
import { BrowserUnavailable } from "./browser-unavailable.ts";
import type { ConnectedBrowser } from "./connected-browser.ts";
import { describe, readProduct } from "../describe.ts";
import { attachPage } from "../page/make-page.ts";
import { takeOverConnection } from "./take-over-connection.ts";
import { openWebSocket, openWebSocketTransport } from "./websocket.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than any render: a call to a browser that hangs does not wait for ever. */
const PROTOCOL_TIMEOUT_MS = 180_000;
/** Some builds gather facts about the graphics card first. */
const COMMAND_LINE_TIMEOUT_MS = 2_000;

/** A browser that runs elsewhere. To end it is its operator's business: `kill` ends the connection, and with it every context of ours. */
export interface RemoteBrowser extends ConnectedBrowser {
  /** As it calls itself, such as `HeadlessChrome/156.0.0.0`. */
  readonly version: string;
  /** How it was started; `null` when it doesn't tell. */
  readonly commandLine: string | null;
  /** Of the other end of the connection, and of ours. */
  readonly remoteAddress: string;
  readonly localAddress: string;
}

/**
 * Connects to a browser that runs elsewhere.
 *
 * @throws BrowserUnavailable when there is no connection within ten seconds, or it is refused
 */
export async function connectBrowser(
  endpoint: BrowserEndpoint,
  closing: AbortSignal,
): Promise<RemoteBrowser> {
  const { origin } = endpoint;
  const signal = AbortSignal.any([closing, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
  try {
    const url = await findWebSocketUrl(endpoint, signal);
    const { socket, ...addresses } = await openWebSocket(url, endpoint, signal);
    const gone = new AbortController();
    socket.on("close", (code) =>
      gone.abort(new BrowserUnavailable(`the connection to ${origin} closed (code ${code})`)),
    );
    const untilGone = AbortSignal.any([signal, gone.signal]);
    const kill = async (): Promise<void> => socket.terminate();
    try {
      const taken = await unless(untilGone, takeOver(openWebSocketTransport(socket)));
      return { ...taken, ...addresses, gone: gone.signal, kill };
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

type Taken = Omit<RemoteBrowser, "gone" | "kill" | "remoteAddress" | "localAddress">;

async function takeOver(transport: ReturnType<typeof openWebSocketTransport>): Promise<Taken> {
  const browser = await connect({
    transport,
    defaultViewport: null,
    protocolTimeout: PROTOCOL_TIMEOUT_MS,
    targetFilter: () => false,
  });
  const [version, { connection, pages }] = await Promise.all([
    browser.version(),
    takeOverConnection(browser),
  ]);
  const commandLine = await connection
    .send("SystemInfo.getInfo", undefined, { timeout: COMMAND_LINE_TIMEOUT_MS })
    .then(
      // typed by the protocol, not by who answers
      ({ commandLine: told }: { commandLine: unknown }) => (typeof told === "string" ? told : null),
      () => null,
    );
  // others may use it as well: whoever holds its pages holds theirs
  return {
    connection,
    version: readProduct(version),
    commandLine,
    holdsPages: false,
    makePage: (request) => attachPage(pages, request),
    onSharedWorker: () => () => {},
  };
}
