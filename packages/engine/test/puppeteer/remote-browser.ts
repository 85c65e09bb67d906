import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { findBrowser } from "../../src/puppeteer/index.ts";
import { browserUser } from "../../src/puppeteer/browser/unprivileged-user.ts";
import { required } from "./setup.ts";

/** What containment.md tells operators to start a browser elsewhere with. */
const RECOMMENDED_ARGUMENTS = [
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
  "--disable-quic",
];

/** A browser that somebody else started. */
export interface RemoteBrowser {
  readonly webSocketUrl: string;
  /** Names the other at `/json/version`. */
  readonly httpUrl: string;
  readonly port: number;
  /** Of its process group. */
  readonly pid: number;
  /** Browser contexts and pages that are open in it, besides its own. */
  countLeft(): Promise<{ readonly contexts: number; readonly pages: number }>;
  /** As the system does it, without a word. */
  kill(): Promise<void>;
}

/** Starts one as anybody would, at a free port unless told; it ends with the test. */
export async function startRemoteBrowser(
  options: { readonly port?: number; readonly args?: readonly string[] } = {},
): Promise<RemoteBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "snap-remote-"));
  const user = browserUser();
  if (user) chownSync(profile, user.uid, user.gid);
  const child = spawn(
    required(await findBrowser(), "browser"),
    [
      "--headless",
      `--remote-debugging-port=${options.port ?? 0}`,
      `--user-data-dir=${profile}`,
      "--disable-dev-shm-usage",
      ...(options.args ?? RECOMMENDED_ARGUMENTS),
    ],
    {
      ...user,
      cwd: profile,
      detached: true,
      env: { HOME: profile, PATH: process.env["PATH"] },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const pid = required(child.pid, "process");
  const kill = (): Promise<void> => killGroup(child, pid);
  onTestFinished(async () => {
    await kill();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  const webSocketUrl = await readAddress(child);
  const port = Number(new URL(webSocketUrl).port);
  const own = await countPages(webSocketUrl);
  return {
    webSocketUrl,
    httpUrl: `http://127.0.0.1:${port}`,
    port,
    pid,
    kill,
    async countLeft() {
      const { browserContextIds } = (await ask(webSocketUrl, "Target.getBrowserContexts")) as {
        browserContextIds: unknown[];
      };
      return { contexts: browserContextIds.length, pages: (await countPages(webSocketUrl)) - own };
    },
  };
}

async function readAddress(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(required(child.stderr, "stderr"))) {
    const [, address] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? [];
    if (address !== undefined) {
      child.stderr?.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`the browser did not start: ${lines.join(" ")}`);
}

async function killGroup(child: ChildProcess, pid: number): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended already
  }
  await exited;
}

async function countPages(webSocketUrl: string): Promise<number> {
  const { targetInfos } = (await ask(webSocketUrl, "Target.getTargets")) as {
    targetInfos: { type: string }[];
  };
  return targetInfos.filter(({ type }) => type === "page").length;
}

/** One command, over a connection of its own. */
async function ask(webSocketUrl: string, method: string): Promise<unknown> {
  const socket = new WebSocket(webSocketUrl);
  await once(socket, "open");
  const answered = once(socket, "message");
  socket.send(JSON.stringify({ id: 1, method }));
  const [data] = (await answered) as [Buffer];
  socket.terminate();
  return (JSON.parse(data.toString("utf8")) as { result: unknown }).result;
}
