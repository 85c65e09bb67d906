import type { Browser, CDPSession, Connection } from "puppeteer";

/** What is left of puppeteer's browser: its connection, and a session of ours to the browser itself. */
export interface QuietConnection {
  readonly connection: Connection;
  readonly pages: CDPSession;
}

const TARGET_EVENTS = [
  "Target.attachedToTarget",
  "Target.targetCreated",
  "Target.targetDestroyed",
  "Target.targetInfoChanged",
] as const;

/**
 * puppeteer would attach to every frame and worker and hold each until it has looked at it. Only pages
 * are of interest, to which a session of ours attaches. It is told of targets no more: it would keep each.
 */
export async function takeOverConnection(browser: Browser): Promise<QuietConnection> {
  const pages = await browser.target().createCDPSession();
  const connection = pages.connection();
  if (!connection) throw new Error("the connection to the browser closed");
  for (const event of TARGET_EVENTS) connection.removeAllListeners(event);
  await connection.send("Target.setAutoAttach", {
    autoAttach: false,
    waitForDebuggerOnStart: false,
    flatten: true,
  });
  await connection.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] });
  return { connection, pages };
}
