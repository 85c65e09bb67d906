// @module-tag browser

import type { CDPSession } from "puppeteer";
import { expect, it, onTestFinished } from "vitest";
import type { ConnectedBrowser } from "../../src/puppeteer/browser/connected-browser.ts";
import { findBrowser } from "../../src/puppeteer/browser/find-browser.ts";
import { launchBrowser } from "../../src/puppeteer/browser/launch-browser.ts";
import { ProcessGroup } from "../../src/puppeteer/browser/process-group.ts";
import { RenderingBrowser } from "../../src/puppeteer/browser/rendering-browser.ts";
import { openProxiedEgress } from "../../src/puppeteer/proxy/proxy.ts";
import { allowPorts, required } from "./setup.ts";

it("a ready tab whose process has exited is closed when the next render finds it", async () => {
  const executablePath = required(await findBrowser(), "browser");
  const launched = await launchBrowser(
    { executablePath, sandbox: "on", userAgent: null },
    new AbortController().signal,
  );
  const sessions: CDPSession[] = [];
  const browser: ConnectedBrowser = {
    ...launched,
    async createPage(request) {
      const page = await launched.createPage(request);
      sessions.push(page.session);
      return page;
    },
  };
  const closed: number[] = [];
  let tabs = 0;
  const group = new ProcessGroup(launched.pid);
  const renderingBrowser = await RenderingBrowser.start(browser, {
    processGroup: group,
    async openEgress() {
      const egress = await openProxiedEgress({ resolver: { resolve: async () => [] }, policy: allowPorts() });
      const tab = (tabs += 1);
      return {
        ...egress,
        close() {
          closed.push(tab);
          return egress.close();
        },
      };
    },
    warmContexts: 1,
    recycling: null,
    verify: () => {},
    listener: { onStarted() {}, onEnded() {}, onRecycled() {} },
  });
  onTestFinished(() => renderingBrowser.kill());
  const crashed = Promise.withResolvers<void>();
  required(sessions[0], "page").on("Inspector.targetCrashed", () => crashed.resolve());
  for (const { pid, role } of group.read()) if (role === "renderer") process.kill(pid, "SIGKILL");
  await crashed.promise;
  await renderingBrowser.acquireTab("ready", null);
  await expect.poll(() => closed).toEqual([1]);
});
