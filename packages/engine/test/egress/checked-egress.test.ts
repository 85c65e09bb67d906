import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { CDPSession } from "puppeteer";
import { expect, it } from "vitest";
import { openCheckedEgress } from "../../src/puppeteer/proxy/checked-egress.ts";

it.each<[string, unknown, string, () => readonly string[]]>([
  ["a URL that is not a string", ["http://8.8.8.8/"], "is not a function", () => []],
  [
    "a failure to list this machine's addresses",
    "http://8.8.8.8/",
    "no free file descriptors",
    () => {
      throw new Error("no free file descriptors");
    },
  ],
])(
  "a check that throws because of %s fails the render, not the process",
  async (_, url, message, ownAddresses) => {
    const egress = openCheckedEgress({
      resolver: { resolve: () => expect.fail("resolved a host name") },
      policy: { allow: [], ownHostnames: [], ownAddresses },
    });
    const session = new EventEmitter();
    egress.guard?.watch(session as unknown as CDPSession);
    session.emit("Page.frameNavigated", { frame: { url } });
    // an unhandled rejection would have been reported by now
    await setImmediate();
    await expect(egress.blockedDocument()).rejects.toThrow(message);
  },
);
