import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KilledProcesses } from "../../src/puppeteer/browser/killed-processes.ts";
import { PageEnded, TabSuspected } from "../../src/puppeteer/page/page-end.ts";

const PAGE_ENDED = new PageEnded("memory", "The page used more than 400 MiB of memory.", "");
const TAB_SUSPECTED = new TabSuspected("the page is suspected of flooding the browser");

describe("the crash of a page", () => {
  it("is explained by the kill of its process", () => {
    const killed = new KilledProcesses();
    killed.record(1, TAB_SUSPECTED);
    killed.record(2, PAGE_ENDED);
    expect(killed.explainCrash(2)).toBe(PAGE_ENDED);
  });

  it("has no explanation if another process was killed", () => {
    const killed = new KilledProcesses();
    killed.record(1, PAGE_ENDED);
    expect(killed.explainCrash(2)).toBeNull();
    expect(killed.explainCrash(1)).toBe(PAGE_ENDED);
  });

  it("has the mildest explanation if its process is unknown", () => {
    const killed = new KilledProcesses();
    killed.record(1, PAGE_ENDED);
    killed.record(2, TAB_SUSPECTED);
    killed.record(3, PAGE_ENDED);
    expect(killed.explainCrash(null)).toBe(TAB_SUSPECTED);
    expect(killed.explainCrash(null)).toBe(PAGE_ENDED);
  });

  it("has no explanation if the kill already explained an earlier crash", () => {
    const killed = new KilledProcesses();
    killed.record(1, PAGE_ENDED);
    expect(killed.explainCrash(null)).toBe(PAGE_ENDED);
    expect(killed.explainCrash(null)).toBeNull();
  });

  it("has no explanation ten seconds after the kill", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const killed = new KilledProcesses();
    killed.record(1, PAGE_ENDED);
    vi.advanceTimersByTime(10_001);
    expect(killed.explainCrash(1)).toBeNull();
  });
});
