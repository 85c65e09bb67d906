// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import type { RendererEvent } from "../../src/puppeteer/index.ts";
import { readPng } from "./image.ts";
import { failureOf, openRenderer, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const GREEN = [0, 128, 0, 255];
const greenWhenDone = (script: string): string =>
  `<body><script>(async () => { ${script}; document.body.style.background = "green" })()</script>`;

let site: Site;
let renderer: Renderer;
const events: RendererEvent[] = [];

beforeAll(async () => {
  site = await openSite({
    "/": greenWhenDone(""),
    "/dialogs": greenWhenDone("for (let i = 0; i < 20; i += 1) { alert(i); confirm(i); prompt(i) }"),
    "/beforeunload-dialog": `<script>
      addEventListener("beforeunload", (event) => { event.preventDefault(); event.returnValue = "stay" });
      addEventListener("load", () => { location = "/" });
    </script>`,
    "/popups": greenWhenDone(
      "for (let i = 0; i < 100; i += 1) open('/popup?' + i, '_blank', i % 2 ? 'noopener' : '')",
    ),
    "/popup": "<script>alert(1); for (let i = 0; i < 3; i += 1) open('/nothing')</script>",
    "/permissions": greenWhenDone(`
      const refused = (request) => new Promise((resolve) => request(resolve));
      await refused((no) => navigator.geolocation.getCurrentPosition(() => {}, no));
      if ((await Notification.requestPermission()) === "granted") return;
      await refused((no) => navigator.clipboard.readText().catch(no));
    `),
    "/prints": greenWhenDone("print()"),
    "/downloads": greenWhenDone(
      "document.body.append(Object.assign(document.createElement('a'), { href: 'data:x', download: 'x' })); document.links[0].click()",
    ),
    "/spins": "<script>for (;;);</script>",
    "/spins-later": "<script>setTimeout(() => { for (;;); }, 50)</script>",
    "/tasks": greenWhenDone(
      "console.log(1); console.createTask('x').run(() => 1); console.context('x').log(1); console.table([])",
    ),
    "/floods": `<script>
      const line = "x".repeat(1000);
      const frame = document.head.appendChild(document.createElement("iframe"));
      const consoles = [console, frame.contentWindow.console];
      setInterval(() => { for (let i = 0; i < 10000; i += 1) for (const each of consoles) each.log(line); }, 1);
    </script>`,
    "/allocates-memory": `<script>
      const allocated = [];
      setInterval(() => allocated.push(new Uint8Array(20e6).fill(1)), 1);
    </script>`,
    "/grows": `<body style="margin:0;background:green"><script>
      // on a busy machine, endless growth would exceed the page's memory limit
      const growing = setInterval(() => {
        document.body.append(Object.assign(document.createElement("p"), { textContent: "more" }));
        if (document.body.childElementCount > 300) clearInterval(growing);
      }, 10);
      addEventListener("scroll", () => { document.body.style.paddingBottom = "9000px" });
    </script>`,
    "/closes": greenWhenDone("close(); open('', '_self').close()"),
    "/overrides-dom": `<script>
      document.querySelector = () => null;
      Element.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, right: 1e9, bottom: 1e9 });
      performance.getEntriesByType = () => [{ responseStatus: 200 }];
      JSON.stringify = Promise = undefined;
    </script><div id=box style="width:30px;height:20px"></div>`,
  });
  renderer = openRenderer([site.port], {
    pageMemoryMaxBytes: 400_000_000,
    onEvent: (event) => events.push(event),
  });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

/** Returns a pixel of the page once its network is idle. */
async function pixelOf(path: string, by: Renderer): Promise<unknown> {
  const { bytes } = await by.render(screenshot(site.url(path), { waitUntil: "networkidle0" }));
  return readPng(bytes).pixel(1000, 700);
}

describe("a page with dialogs, pop-ups or permission prompts", () => {
  const PAGES = [
    "/dialogs",
    "/beforeunload-dialog",
    "/popups",
    "/permissions",
    "/prints",
    "/downloads",
    "/closes",
  ];

  it.each(PAGES)("is rendered: %s", async (path) => {
    expect(await pixelOf(path, renderer)).toEqual(GREEN);
  });

  it("is also rendered if no tab is ready", async () => {
    const cold = openRenderer([site.port], { warmContexts: 0 });
    // the first render uses the tab that verified the browser
    for (const path of ["/prints", ...PAGES])
      expect([path, await pixelOf(path, cold)]).toEqual([path, GREEN]);
    await cold.close();
  });
});

describe("a page that makes itself hard to measure", () => {
  it("is captured without blank areas if it grows", async () => {
    const file = await renderer.render(screenshot(site.url("/grows"), { fullPage: true, delay: 300 }));
    const image = readPng(file.bytes);
    expect(image.height).toBeGreaterThanOrEqual(800);
    expect(image.pixel(1270, image.height - 1)).toEqual(GREEN);
  });

  it("is measured correctly if it overrides the DOM methods", async () => {
    const file = await renderer.render(screenshot(site.url("/overrides-dom"), { selector: "#box" }));
    const { width, height } = readPng(file.bytes);
    expect([width, height]).toEqual([30, 20]);
  });
});

describe("pages that never finish", () => {
  it("fail with render_timeout without affecting other renders", async () => {
    const bounded = openRenderer([site.port], { renderTimeoutMs: 10_000 });
    const paths = ["/spins", "/spins-later"];
    const endless = paths.map((path) =>
      failureOf(bounded.render(screenshot(site.url(path), { delay: 200 }))),
    );
    for (let i = 0; i < 3; i += 1) {
      const other = await bounded.render(screenshot(site.url("/")));
      expect(readPng(other.bytes).pixel(1000, 700)).toEqual(GREEN);
    }
    for (const failure of await Promise.all(endless)) expect(failure.code).toBe("render_timeout");
    await bounded.close();
  });
});

describe("the console", () => {
  it("lets pages call createTask, context and table", async () => {
    const file = await renderer.render(screenshot(site.url("/tasks")));
    expect(readPng(file.bytes).pixel(1000, 700)).toEqual(GREEN);
  });

  it("does not affect other renders if a page floods it, even from a frame", async () => {
    events.length = 0;
    const flooding = renderer.render(screenshot(site.url("/floods"), { delay: 3_000 }));
    for (let i = 0; i < 3; i += 1) {
      const file = await renderer.render(screenshot(site.url("/")));
      expect(readPng(file.bytes).pixel(1000, 700)).toEqual(GREEN);
    }
    expect((await flooding).targetStatus).toBe(200);
    expect(events).toEqual([]);
  });
});

describe("a page that exceeds its memory limit", () => {
  it("fails with upstream_error without a retry, and does not affect other renders", async () => {
    events.length = 0;
    const failing = failureOf(renderer.render(screenshot(site.url("/allocates-memory"), { delay: 10_000 })));
    for (let i = 0; i < 3; i += 1) {
      const file = await renderer.render(screenshot(site.url("/")));
      expect(readPng(file.bytes).pixel(1000, 700)).toEqual(GREEN);
    }
    expect((await failing).code).toBe("upstream_error");
    expect(events).toMatchObject([{ type: "page-ended", reason: "memory" }]);
  });
});
