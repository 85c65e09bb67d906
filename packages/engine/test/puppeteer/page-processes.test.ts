// @module-tag browser

import { EventEmitter, once } from "node:events";
import type { CDPSession } from "puppeteer";
import { expect, it, onTestFinished } from "vitest";
import { launchBrowser } from "../../src/puppeteer/browser/launch-browser.ts";
import { ProcessGroup } from "../../src/puppeteer/browser/process-group.ts";
import { RenderingBrowser } from "../../src/puppeteer/browser/rendering-browser.ts";
import { PageProcesses } from "../../src/puppeteer/page/page-processes.ts";
import type { Tab } from "../../src/puppeteer/page/tab.ts";
import { openProxiedEgress } from "../../src/puppeteer/proxy/proxy.ts";
import { browserWithSiteIsolation } from "./site-isolation.ts";
import { required } from "./setup.ts";
import { openSite } from "./site.ts";
import { TO_LOOPBACK } from "./trap.ts";

/** A frame's session. The ids of its searches start with `pid`, its process's id. */
class FakeSession extends EventEmitter {
  readonly id = (): string => "session-1";
  pid = 11;

  send(command: string): Promise<{ readonly searchId: string }> {
    if (command === "DOM.disable") setImmediate(() => this.emit("searched"));
    return Promise.resolve({ searchId: `${this.pid}.1` });
  }
}

it("the process of a page is identified again after its document is replaced", async () => {
  const session = new FakeSession();
  const processes = new PageProcesses(() => {});
  processes.add(session as unknown as CDPSession, "main");
  const identify = async (): Promise<void> => {
    const searched = once(session, "searched");
    processes.identify(new Set([11, 12]));
    await searched;
  };
  await identify();
  expect(processes.has(11)).toBe(true);

  session.emit("Page.frameNavigated", { frame: { id: "inner", parentId: "main" } });
  expect(processes.has(11)).toBe(true);
  session.emit("Page.frameNavigated", { frame: { id: "main" } });
  session.pid = 12;
  await identify();
  expect([processes.has(11), processes.has(12)]).toEqual([false, true]);
});

it("a moved frame's process is identified again, even if its previous one still runs", async () => {
  const site = await openSite({
    "/": `<script>for (let i = 0; i < 2; i += 1)
      document.write("<iframe src='http://first.test:" + location.port + "/inner'></iframe>")</script>`,
    "/inner": "<p>inner</p>",
  });
  onTestFinished(() => site.close());
  const hosts = ["main.test", "first.test", "second.test"];
  const { tab, group } = await openLocalTab(hosts, site.port);
  await tab.session.send("Page.navigate", { url: site.url("/", "main.test") });
  await tab.progress.waitUntil(AbortSignal.timeout(10_000), () => tab.progress.hasReached("load"));
  const frames = [...tab.frameSessions].filter((session) => session !== tab.session);
  const moving = required(frames[0], "frame");

  /** Resolves with the frames' processes, once the earlier searches of `identify` have ended. */
  const identifyFrames = async (): Promise<readonly number[]> => {
    const running = group.read().map(({ pid }) => pid);
    tab.processes.identify(new Set(running));
    const pids = await Promise.all(frames.map(pidOf));
    expect(running).toEqual(expect.arrayContaining(pids));
    return pids;
  };
  const [first] = await identifyFrames();
  const navigated = new Promise((resolve) => void moving.once("Page.frameNavigated", resolve));
  const url = site.url("/inner", "second.test");
  await moving.send("Runtime.evaluate", { expression: `location.href = ${JSON.stringify(url)}` });
  await navigated;
  const [second, staying] = await identifyFrames();
  expect(staying).toBe(first);
  expect(second).not.toBe(first);
  expect(tab.processes.has(required(second, "process"))).toBe(true);
});

/** Opens a tab that can reach `port` of these hosts. */
async function openLocalTab(
  hosts: readonly string[],
  port: number,
): Promise<{ readonly tab: Tab; readonly group: ProcessGroup }> {
  const options = {
    executablePath: await browserWithSiteIsolation(),
    sandbox: "on",
    userAgent: null,
  } as const;
  const launched = await launchBrowser(options, new AbortController().signal);
  const policy = {
    allow: hosts.map((hostname) => ({ kind: "name", hostname, port }) as const),
    ownHostnames: [],
  };
  const group = new ProcessGroup(launched.pid);
  const browser = await RenderingBrowser.start(launched, {
    processGroup: group,
    openEgress: () => openProxiedEgress({ resolver: TO_LOOPBACK, policy }),
    warmContexts: 0,
    recycling: null,
    verify: () => {},
    listener: { onStarted() {}, onEnded() {}, onRecycled() {} },
  });
  onTestFinished(() => browser.kill());
  return { tab: await browser.acquireTab("ready", null), group };
}

/** Resolves with the id of a session's process, with which the ids of its searches start. */
async function pidOf(session: CDPSession): Promise<number> {
  const [, { searchId }] = await Promise.all([
    session.send("DOM.enable"),
    session.send("DOM.performSearch", { query: "-" }),
    session.send("DOM.disable"),
  ]);
  return Number.parseInt(searchId, 10);
}
