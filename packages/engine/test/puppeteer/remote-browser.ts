import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startProgram } from "../../../testing/test/servers/start-program.ts";
import { findBrowser } from "../../src/puppeteer/index.ts";
import { browserUser } from "../../src/puppeteer/browser/unprivileged-user.ts";
import { required } from "./setup.ts";

/** The arguments that docs/explanation/containment.md recommends to contain remote browsers. */
const RECOMMENDED_ARGUMENTS = [
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP *.local 0.0.0.0 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
  "--disable-quic",
];

/** A browser that the renderer did not start. */
export interface RemoteBrowser {
  readonly webSocketUrl: string;
  /** Serves `/json/version`. */
  readonly httpUrl: string;
  readonly port: number;
  /** Id of its process group. */
  readonly pid: number;
  /** Counts the open browser contexts and pages, except the initial ones. */
  countOpen(): Promise<{ readonly contexts: number; readonly pages: number }>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

/**
 * Starts a browser, by default on a free port and with the recommended arguments; kills it when the
 * test ends.
 */
export async function startRemoteBrowser(
  options: { readonly port?: number; readonly args?: readonly string[] } = {},
): Promise<RemoteBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "snap-remote-"));
  const user = browserUser();
  if (user) chownSync(profile, user.uid, user.gid);
  const command = [
    required(await findBrowser(), "browser"),
    "--headless",
    `--remote-debugging-port=${options.port ?? 0}`,
    `--user-data-dir=${profile}`,
    "--disable-dev-shm-usage",
    ...(options.args ?? RECOMMENDED_ARGUMENTS),
  ];
  const { match, pid, kill } = await startProgram(command, {
    ...user,
    cwd: profile,
    detached: true,
    env: { HOME: profile, PATH: process.env["PATH"] },
    ready: /^DevTools listening on (ws:\S+)$/,
  });
  onTestFinished(async () => {
    await kill();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  const webSocketUrl = required(match[1], "URL");
  const port = Number(new URL(webSocketUrl).port);
  const initialPages = await countPages(webSocketUrl);
  return {
    webSocketUrl,
    httpUrl: `http://127.0.0.1:${port}`,
    port,
    pid,
    kill,
    async countOpen() {
      const { browserContextIds } = (await sendCommand(webSocketUrl, "Target.getBrowserContexts")) as {
        browserContextIds: unknown[];
      };
      return { contexts: browserContextIds.length, pages: (await countPages(webSocketUrl)) - initialPages };
    },
  };
}

async function countPages(webSocketUrl: string): Promise<number> {
  const { targetInfos } = (await sendCommand(webSocketUrl, "Target.getTargets")) as {
    targetInfos: { type: string }[];
  };
  return targetInfos.filter(({ type }) => type === "page").length;
}

/** Sends one command over a new connection; resolves with its result. */
async function sendCommand(webSocketUrl: string, method: string): Promise<unknown> {
  const socket = new WebSocket(webSocketUrl);
  await once(socket, "open");
  const received = once(socket, "message");
  socket.send(JSON.stringify({ id: 1, method }));
  const [data] = (await received) as [Buffer];
  socket.terminate();
  return (JSON.parse(data.toString("utf8")) as { result: unknown }).result;
}
