// @module-tag browser

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { readPng } from "./image.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { defaultScreenshot, errorOf, openRenderer, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const GREEN = [0, 128, 0, 255];

/** Returns a page that runs `work` repeatedly. It never loads, unless `work` replaces the document. */
const endlessPage = (work: string): string => `<body><img src=/hangs><script>
  const text = "x".repeat(1e6);
  let n = 0;
  setInterval(() => { ${work} }, 0);
</script>`;

const FLOODS: Readonly<Record<string, string>> = {
  "/dialogs": "<script>for (;;) alert(1)</script>",
  "/documents": endlessPage("for (let i = 0; i < 100; i += 1) { document.open(); document.close(); }"),
  "/frames": endlessPage(
    "for (let i = 0; i < 50; i += 1) { const frame = document.createElement('iframe'); document.body.append(frame); frame.remove(); }",
  ),
  "/frame-names": endlessPage(
    "const frame = document.createElement('iframe'); frame.name = text + n++; frame.srcdoc = 'x'; document.body.append(frame);",
  ),
  "/pop-ups": endlessPage("open('https://example.com/?' + text + n++);"),
  "/shared-workers": endlessPage("new SharedWorker('data:text/javascript,close()//' + text + n++);"),
  "/urls": endlessPage("history.replaceState(null, '', '#' + text + n++);"),
};

let site: Site;
let renderer: Renderer;
const events: RendererEvent[] = [];

beforeAll(async () => {
  site = await openSite({
    "/": "<body style='background:green'>",
    "/hangs": () => {},
    ...FLOODS,
    "/errors": `<body style="background:green"><script>
      const line = "x".repeat(1000);
      setInterval(() => { for (let i = 0; i < 1000; i += 1) reportError(new Error(line)); }, 0);
      setInterval(() => { Promise.reject(new Error(line)); throw new Error(line); }, 0);
    </script>`,
    "/heavy": `<body style="background:green">${Array.from({ length: 50 }, (_, i) => `<iframe src="/frame?${i}" hidden></iframe>`).join("")}
      ${Array.from({ length: 900 }, (_, i) => `<img src="/image?${i}" hidden>`).join("")}`,
  });
  // with probes, a page could be suspected before it reaches a limit on events
  renderer = openRenderer([site.port], {
    probeIntervalMs: 600_000,
    // on a busy machine, a page takes long to cause as many events
    navigationTimeoutMs: 90_000,
    renderTimeoutMs: 100_000,
    onEvent: (event) => events.push(event),
  });
  await renderer.health();
});

beforeEach(() => void (events.length = 0));

afterAll(async () => {
  await renderer.close();
  await site.close();
});

async function expectNeighborToRender(): Promise<void> {
  const { bytes } = await renderer.render(screenshot(site.url("/")));
  expect(readPng(bytes).pixel(1000, 700)).toEqual(GREEN);
}

describe("a page that floods the connection to the browser", () => {
  it.each(Object.keys(FLOODS))("is ended without affecting its neighbors: %s", async (path) => {
    const flooding = errorOf(renderer.render(screenshot(site.url(path), { delay: 10_000 })));
    await expectNeighborToRender();
    expect(await flooding).toMatchObject({ code: "upstream_error", pageEnded: true });
    await expectNeighborToRender();
    // on a busy machine, the page may be moved to an isolated browser before it is ended there
    expect(events.filter(({ type }) => type === "page-ended")).toEqual([
      {
        type: "page-ended",
        reason: "events",
        detail: expect.stringMatching(/^\d+ (non-)?network events \(\d+ bytes\)$/) as string,
      },
    ]);
  });
});

describe("a page that floods the connection to a remote browser", () => {
  it("is ended without affecting its neighbors", async () => {
    const { webSocketUrl } = await startRemoteBrowser();
    const ended: RendererEvent[] = [];
    const remote = openRenderer([site.port], {
      browserUrls: [webSocketUrl],
      onEvent: (event) => event.type !== "remote-browser-connected" && ended.push(event),
    });
    onTestFinished(() => remote.close());
    const flooding = errorOf(remote.render(screenshot(site.url("/documents"), { delay: 10_000 })));
    expect((await remote.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(await flooding).toMatchObject({ code: "upstream_error", pageEnded: true });
    expect((await remote.render(screenshot(site.url("/")))).targetStatus).toBe(200);
    expect(ended).toMatchObject([{ type: "page-ended", reason: "events" }]);
  });
});

describe("a heavy page", () => {
  it("is rendered if it has 900 images and 50 frames", async () => {
    const { bytes, notes } = await renderer.render(defaultScreenshot(site.url("/heavy")));
    expect(readPng(bytes).pixel(1000, 700)).toEqual(GREEN);
    // the server responds to all requests for images with text
    expect([notes, events]).toEqual([["images-failed=900"], []]);
  });

  it("is rendered if its scripts fail continuously", async () => {
    const failing = renderer.render(screenshot(site.url("/errors"), { delay: 2_000 }));
    await expectNeighborToRender();
    expect(readPng((await failing).bytes).pixel(1000, 700)).toEqual(GREEN);
    expect(events).toEqual([]);
  });
});
