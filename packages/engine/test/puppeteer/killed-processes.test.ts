import { describe, expect, it, onTestFinished, vi } from "vitest";
import { KilledProcesses } from "../../src/puppeteer/browser/killed-processes.ts";
import { PageEnded, TabSuspected } from "../../src/puppeteer/page/page-end.ts";

const ENDED = new PageEnded("memory", "The page used more than 400 MiB of memory.", "");
const SUSPECTED = new TabSuspected("the page is suspected of flooding the browser");

describe("the crash of a page", () => {
  it("is explained by the kill of its process", () => {
    const killed = new KilledProcesses();
    killed.record(1, SUSPECTED);
    killed.record(2, ENDED);
    expect(killed.explainCrash(2)).toBe(ENDED);
  });

  it("has no explanation if another process was killed", () => {
    const killed = new KilledProcesses();
    killed.record(1, ENDED);
    expect(killed.explainCrash(2)).toBeNull();
    expect(killed.explainCrash(1)).toBe(ENDED);
  });

  it("has the mildest explanation if its process is unknown", () => {
    const killed = new KilledProcesses();
    killed.record(1, ENDED);
    killed.record(2, SUSPECTED);
    killed.record(3, ENDED);
    expect(killed.explainCrash(null)).toBe(SUSPECTED);
    expect(killed.explainCrash(null)).toBe(ENDED);
  });

  it("has no explanation if the kill already explained an earlier crash", () => {
    const killed = new KilledProcesses();
    killed.record(1, ENDED);
    expect(killed.explainCrash(null)).toBe(ENDED);
    expect(killed.explainCrash(null)).toBeNull();
  });

  it("has no explanation ten seconds after the kill", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const killed = new KilledProcesses();
    killed.record(1, ENDED);
    vi.advanceTimersByTime(10_001);
    expect(killed.explainCrash(1)).toBeNull();
  });
});
