import { EventEmitter, once } from "node:events";
import type { CDPSession } from "puppeteer";
import { expect, it } from "vitest";
import { PageProcesses } from "../../src/puppeteer/page/page-processes.ts";

/** A frame's session, whose process responds to a search. */
class FakeSession extends EventEmitter {
  readonly id = (): string => "session-1";
  pid = 11;

  send(command: string): Promise<{ readonly searchId: string }> {
    if (command === "DOM.disable") setImmediate(() => this.emit("searched"));
    return Promise.resolve({ searchId: `${this.pid}.1` });
  }
}

it("a page whose document is replaced is identified again", async () => {
  const session = new FakeSession();
  const processes = new PageProcesses(() => {});
  processes.add(session as unknown as CDPSession);
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
