import type { Browser, CDPSession, Connection } from "puppeteer";
import type { ProtocolTransport } from "./protocol-transport.ts";

/** The connection to a browser, and a session with the browser itself. */
export interface BrowserConnection {
  readonly transport: ProtocolTransport;
  readonly connection: Connection;
  readonly browserSession: CDPSession;
}

const TARGET_EVENTS = [
  "Target.attachedToTarget",
  "Target.targetCreated",
  "Target.targetDestroyed",
  "Target.targetInfoChanged",
] as const;

/**
 * Takes over the connection from Puppeteer, which would pause and attach to every frame and worker, hold an object for
 * each, and subscribe to every title and URL. Attach to pages with the returned session instead.
 */
export async function takeOverConnection(
  browser: Browser,
  transport: ProtocolTransport,
): Promise<BrowserConnection> {
  const browserSession = await browser.target().createCDPSession();
  const connection = browserSession.connection();
  if (!connection) throw new Error("the connection to the browser closed");
  for (const event of TARGET_EVENTS) connection.removeAllListeners(event);
  await connection.send("Target.setAutoAttach", {
    autoAttach: false,
    waitForDebuggerOnStart: false,
    flatten: true,
  });
  await connection.send("Target.setDiscoverTargets", { discover: false });
  return { transport, connection, browserSession };
}
