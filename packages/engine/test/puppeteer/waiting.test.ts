// @module-tag browser

import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { defaultScreenshot, failureOf, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, redirect, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const WHITE = [255, 255, 255, 255];

/** A page whose script can call `redden`; its color in the rendering shows what the renderer waited for. */
const pageWithRedden = (script: string): string =>
  `<body><script>const redden = () => { document.body.style.background = "red" }; ${script}</script>`;

/**
 * A red page whose script stops it from loading, or navigates away. The image shadows `document.readyState`,
 * which must not mislead the renderer.
 */
const redPage = (script: string): string =>
  `<body style="background:red"><img name="readyState"><script>${script}</script>`;
const HANGING_IMAGE = "document.write('<img src=/hangs>');";

let site: Site;
let renderer: Renderer;
/** Pages have 2 s to load, and renders 4 s in total. */
let shortTimeoutRenderer: Renderer;
/** Pages have 3 s to load, and renders the usual time. */
let shortLoadRenderer: Renderer;

beforeAll(async () => {
  const respondSlowly = (delayMs: number) => (_request: unknown, response: ServerResponse) =>
    void setTimeout(() => response.end("slow"), delayMs);
  site = await openSite({
    "/on-load": pageWithRedden("addEventListener('load', redden)"),
    "/after-fetch": pageWithRedden("fetch('/slow').then((response) => response.text()).then(redden)"),
    "/after-third": pageWithRedden(
      "fetch('/hangs?1'); fetch('/hangs?2'); fetch('/slow').then((response) => response.text()).then(redden)",
    ),
    "/after-1-s": pageWithRedden("setTimeout(redden, 1000)"),
    "/slow-image": `${pageWithRedden("")}<img src="/hangs">`,
    "/slow-style": `<link rel="stylesheet" href="/hangs"><body style="background:red">`,
    "/redirects-by-script": `<p>text</p><img src="/hangs"><script>
      const hops = Number(new URLSearchParams(location.search).get("hops"));
      if (hops < 4) location = "?hops=" + (hops + 1);
    </script>`,
    "/reloads": "<h1>again</h1><script>onload = () => location.reload()</script>",
    "/refreshes-forever": `<meta http-equiv="refresh" content="0;url=/refreshes-forever"><p>text</p>`,
    "/navigates-forever":
      "<h1>next</h1><script>onload = () => setTimeout(() => { location = '/navigates-forever?' + Math.random() }, 60)</script>",
    "/never-idle": `busy${pageWithRedden("for (let i = 0; i < 3; i += 1) fetch('/hangs?' + i)")}`,
    "/frame": `${pageWithRedden("onmessage = redden")}<script>
      setTimeout(() => document.body.append(Object.assign(document.createElement("iframe"), { src: "/inner" })), 50)
    </script>`,
    "/slow-frame": `${pageWithRedden("onmessage = redden")}<script>
      setTimeout(() => document.body.append(Object.assign(document.createElement("iframe"), { src: "/slow-inner" })), 50)
    </script>`,
    "/hanging-frame": `${pageWithRedden("")}<iframe src="/hangs"></iframe>`,
    "/slow-inner": (_request, response) => {
      response.setHeader("content-type", "text/html");
      setTimeout(() => response.end("<script>parent.postMessage(1, '*')</script>"), 1_500);
    },
    "/inner":
      "<script>fetch('/slow').then((response) => response.text()).then(() => parent.postMessage(1, '*'))</script>",
    "/appears": `<body><script>setTimeout(() => { document.body.innerHTML = "<b id=late style='display:block;height:50px;background:red'>" }, 300)</script>`,
    "/appears-after-navigation": "<script>setTimeout(() => { location = '/appears' }, 200)</script>",
    // longer than the half second after which a network without requests counts as idle
    "/slow": respondSlowly(900),
    "/hangs": () => {},
    "/never-ends": (_request, response) => {
      response.setHeader("content-type", "text/html");
      response.write("<h1>and then</h1>");
    },
    "/empty-404": (_request, response) => response.writeHead(404).end(),
    "/500": (_request, response) => response.writeHead(500, { "content-type": "text/html" }).end("oops"),
    "/401": (_request, response) =>
      response
        .writeHead(401, { "www-authenticate": "Basic realm=x", "content-type": "text/html" })
        .end("who?"),
    "/redirect": redirect("/teapot"),
    "/meta": "<meta http-equiv=refresh content='0; url=/teapot'>",
    "/refresh": (_request, response) =>
      response.writeHead(200, { refresh: "0; url=/teapot", "content-type": "text/html" }).end("on"),
    "/script": "<script>addEventListener('load', () => { location = '/teapot' })</script>",
    "/script-to-nothing": "<script>addEventListener('load', () => { location = '/204' })</script>",
    "/mailto": "<script>addEventListener('load', () => { location = 'mailto:a@example.com' })</script>",
    "/204": (_request, response) => response.writeHead(204).end(),
    "/opens-app": redPage("location = 'myapp://open'"),
    "/opens-intent": redPage("location = 'intent://open#Intent;scheme=myapp;end'"),
    "/leads-to-nothing": redPage("location = '/204'"),
    "/starts-download": redPage("location = '/download'"),
    "/submits-to-download": redPage(`
      document.body.insertAdjacentHTML("beforeend", "<form method=post action='/download'>");
      document.forms[0].submit();`),
    "/stops": redPage("stop()"),
    "/stops-on-domcontentloaded": redPage(
      `${HANGING_IMAGE} addEventListener('DOMContentLoaded', () => stop())`,
    ),
    "/stops-later": redPage(`${HANGING_IMAGE} setTimeout(() => stop(), 200)`),
    "/stops-and-loads": pageWithRedden(
      "stop(); fetch('/slow').then((response) => response.text()).then(redden)",
    ),
    "/stops-and-redirects": redPage("stop(); location = '/slow-teapot'"),
    "/stops-and-submits": redPage(`
      stop();
      const form = Object.assign(document.createElement("form"), { action: "/slow-teapot" });
      document.body.append(form);
      form.submit();`),
    "/opens-app-and-redirects": redPage("location = 'myapp://open'; location = '/slow-teapot'"),
    "/redirects-during-parsing": redPage("location = '/slow-teapot'"),
    "/redirects-before-load": redPage(
      `${HANGING_IMAGE} setTimeout(() => { location = '/slow-teapot' }, 200)`,
    ),
    "/reloads-once": redPage(`
      if (!sessionStorage.again) { sessionStorage.again = 1; location.reload() } else location = "/slow-teapot"`),
    "/download": (_request, response) =>
      response.writeHead(200, { "content-disposition": "attachment; filename=file.bin" }).end("x"),
    "/slow-teapot": (_request, response) => {
      response.writeHead(418, { "content-type": "text/html" });
      setTimeout(() => response.end("tea"), 300);
    },
    "/video": (_request, response) => response.writeHead(200, { "content-type": "video/mp4" }).flushHeaders(),
    "/writes": `${pageWithRedden(`setTimeout(() => {
      document.open();
      document.write("<body onload='redden()'><img src='/slow'>");
      document.close();
    }, 200)`)}<script src="/hangs"></script>`,
    "/teapot": (_request, response) => response.writeHead(418, { "content-type": "text/html" }).end("tea"),
  });
  renderer = openRenderer([site.port]);
  shortTimeoutRenderer = openRenderer([site.port], { navigationTimeoutMs: 2_000, renderTimeoutMs: 4_000 });
  shortLoadRenderer = openRenderer([site.port], { navigationTimeoutMs: 3_000 });
});

afterAll(async () => {
  await Promise.all([renderer.close(), shortTimeoutRenderer.close(), shortLoadRenderer.close()]);
  await site.close();
});

async function renderBackground(path: string, options: object): Promise<number[]> {
  const { bytes } = await renderer.render(screenshot(site.url(path), options));
  return readPng(bytes).pixel(1000, 700);
}

describe.concurrent("waitUntil", () => {
  it("domcontentloaded does not wait for images", async () => {
    expect(await renderBackground("/slow-image", { waitUntil: "domcontentloaded" })).toEqual(WHITE);
  });

  it("domcontentloaded does not wait for images if scripts redirected the page", async () => {
    const path = "/redirects-by-script";
    expect(await renderBackground(path, { waitUntil: "domcontentloaded" })).toEqual(WHITE);
    expect(site.requests).toContain(`GET ${path}?hops=4`);
  });

  it.each(["domcontentloaded", "load"] as const)(
    "%s with onWaitTimeout=capture captures a page whose style sheet never arrives",
    async (waitUntil) => {
      const options = { waitUntil, waitTimeout: 1_000, onWaitTimeout: "capture" } as const;
      const { bytes, notes } = await renderer.render(screenshot(site.url("/slow-style"), options));
      expect(readPng(bytes).pixel(1000, 700)).toEqual(RED);
      expect(notes).toEqual(["wait-capped"]);
    },
  );

  it("networkidle2 fails if a style sheet never arrives", async () => {
    const options = { waitUntil: "networkidle2", waitTimeout: 6_000 } as const;
    const error = await failureOf(renderer.render(screenshot(site.url("/slow-style"), options)));
    expect(error).toMatchObject({
      code: "render_timeout",
      message:
        "The page painted nothing within 6000 ms; it is probably still loading a style sheet or running a script.",
    });
  });

  it("load waits for the load event", async () => {
    expect(await renderBackground("/on-load", { waitUntil: "load" })).toEqual(RED);
  });

  it("networkidle0 waits until no connections are open", async () => {
    expect(await renderBackground("/after-fetch", { waitUntil: "networkidle0" })).toEqual(RED);
  });

  it("networkidle2 allows two connections, but not three", async () => {
    expect(await renderBackground("/after-third", { waitUntil: "networkidle2" })).toEqual(RED);
  });

  it("networkidle2 allows a frame that never loads", async () => {
    expect(await renderBackground("/hanging-frame", { waitUntil: "networkidle2" })).toEqual(WHITE);
  });

  it("networkidle0 waits for frames that are added later", async () => {
    expect(await renderBackground("/slow-frame", { waitUntil: "networkidle0" })).toEqual(RED);
    expect(await renderBackground("/frame", { waitUntil: "networkidle0" })).toEqual(RED);
  });

  it.each(["networkidle0", "networkidle2"] as const)(
    "%s fails with render_timeout if the network is never idle",
    async (waitUntil) => {
      const failure = await failureOf(
        shortTimeoutRenderer.render(screenshot(site.url("/never-idle"), { waitUntil })),
      );
      expect(failure.code).toBe("render_timeout");
      expect(failure.message).toContain(waitUntil);
    },
  );

  it("load fails with render_timeout if the page never finishes loading", async () => {
    expect((await failureOf(shortTimeoutRenderer.render(screenshot(site.url("/slow-image"))))).code).toBe(
      "render_timeout",
    );
  });

  it.each([
    ["load", "/slow-image"],
    ["networkidle0", "/never-idle"],
  ] as const)(
    "with onWaitTimeout=capture, %s captures the page at the navigation timeout: %s",
    async (waitUntil, path) => {
      const options = { waitUntil, waitTimeout: 30_000, onWaitTimeout: "capture" } as const;
      expect((await shortLoadRenderer.render(screenshot(site.url(path), options))).notes).toContain(
        "wait-capped",
      );
    },
  );
});

describe("a request without waitUntil", () => {
  it("waits until the network is nearly idle, and returns no notes", async () => {
    const file = await renderer.render(defaultScreenshot(site.url("/after-third")));
    expect(readPng(file.bytes).pixel(1000, 700)).toEqual(RED);
    expect(file.notes).toEqual([]);
  });

  it("captures a page that reloads forever, and returns a note", async () => {
    const file = await renderer.render(defaultScreenshot(site.url("/reloads")));
    expect(file.targetStatus).toBe(200);
    expect(file.notes).toEqual(["wait-capped"]);
    expect((await renderer.render(screenshot(site.url("/reloads")))).targetStatus).toBe(200);
  });

  it.each(["/navigates-forever", "/refreshes-forever"])(
    "stops a page that navigates forever: %s",
    async (path) => {
      const file = await renderer.render(defaultScreenshot(site.url(path)));
      expect(file.notes).toEqual(["wait-capped"]);
      // it would navigate a hundred times in 10 s
      expect(site.requests.filter((request) => request.startsWith(`GET ${path}`)).length).toBeLessThan(50);
    },
  );

  it("captures or prints a page 10 s after load if its network is never idle, and returns a note", async () => {
    const [image, document] = await Promise.all([
      renderer.render(defaultScreenshot(site.url("/never-idle"))),
      renderer.render(pdf(site.url("/never-idle"))),
    ]);
    expect(image.notes).toEqual(["wait-capped"]);
    expect(document.notes).toEqual(["wait-capped"]);
  });

  it("captures or prints a loaded page at the navigation timeout, if that is earlier", async () => {
    const [image, document] = await Promise.all([
      shortLoadRenderer.render(defaultScreenshot(site.url("/never-idle"))),
      shortLoadRenderer.render(pdf(site.url("/never-idle"))),
    ]);
    expect(image.notes).toEqual(["wait-capped"]);
    expect(document.notes).toEqual(["wait-capped"]);
  });

  it("fails with render_timeout if the page never reaches load, even with onWaitTimeout=capture", async () => {
    const options = { waitUntil: undefined, onWaitTimeout: "capture" } as const;
    const failure = await failureOf(shortLoadRenderer.render(screenshot(site.url("/never-ends"), options)));
    expect(failure.code).toBe("render_timeout");
  });
});

describe.concurrent("delay and waitForSelector", () => {
  it("wait for the requested delay", async () => {
    expect(await renderBackground("/after-1-s", { delay: 1500 })).toEqual(RED);
  });

  it.each(["/appears", "/appears-after-navigation"])("wait until the element exists: %s", async (path) => {
    const { bytes } = await renderer.render(
      screenshot(site.url(path), { waitForSelector: "#late", selector: "#late" }),
    );
    expect(readPng(bytes).pixel(5, 5)).toEqual(RED);
  });

  it("fail with render_timeout if the element never appears", async () => {
    const options = { waitForSelector: "#never" };
    expect(
      (await failureOf(shortTimeoutRenderer.render(screenshot(site.url("/on-load"), options)))).code,
    ).toBe("render_timeout");
  });

  it("fail with render_failed if the selector is not valid CSS", async () => {
    const failure = await failureOf(
      shortTimeoutRenderer.render(screenshot(site.url("/on-load"), { waitForSelector: "b[" })),
    );
    expect(failure).toEqual({ code: "render_failed", message: "The selector b[ is not valid CSS." });
  });
});

describe.concurrent("the target's status", () => {
  it.each([
    ["/on-load", 200],
    ["/missing", 404],
    ["/empty-404", 404],
    ["/500", 500],
    ["/401", 401],
    ["/redirect", 418],
    ["/meta", 418],
    ["/refresh", 418],
    ["/script", 418],
    ["/script-to-nothing", 200],
    ["/mailto", 200],
  ])("is that of the last document: %s, %i", async (path, status) => {
    const file = await renderer.render(screenshot(site.url(path)));
    expect(file.targetStatus).toBe(status);
    expect(readPng(file.bytes).width).toBe(1280);
  });
});

describe.concurrent("a page that stops its own loading", () => {
  const stoppingPaths = [
    "/opens-app",
    "/opens-intent",
    "/leads-to-nothing",
    "/starts-download",
    "/submits-to-download",
    "/stops",
    "/stops-on-domcontentloaded",
    "/stops-later",
  ];

  it.each(stoppingPaths)("is captured as it is: %s", async (path) => {
    const { bytes, targetStatus } = await renderer.render(screenshot(site.url(path)));
    expect(readPng(bytes).pixel(1000, 700)).toEqual(RED);
    expect(targetStatus).toBe(200);
  });

  it.each(["domcontentloaded", "networkidle0"] as const)(
    "is captured with waitUntil=%s",
    async (waitUntil) => {
      for (const path of ["/opens-app", "/stops"])
        expect((await renderer.render(screenshot(site.url(path), { waitUntil }))).notes).toEqual([]);
    },
  );

  it.each(["/opens-app", "/stops"])("is captured or printed without waitUntil: %s", async (path) => {
    expect((await renderer.render(defaultScreenshot(site.url(path)))).notes).toEqual([]);
    expect((await renderer.render(pdf(site.url(path)))).notes).toEqual([]);
  });

  it("is still waited for if it sends requests", async () => {
    expect(await renderBackground("/stops-and-loads", { waitUntil: "networkidle0" })).toEqual(RED);
  });

  it.each([
    "/stops-and-redirects",
    "/stops-and-submits",
    "/opens-app-and-redirects",
    "/redirects-during-parsing",
    "/redirects-before-load",
    "/reloads-once",
  ])("is followed if it navigates: %s", async (path) => {
    expect((await renderer.render(screenshot(site.url(path)))).targetStatus).toBe(418);
  });

  it("is waited for if it replaces its document", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/writes")));
    expect(readPng(bytes).pixel(1000, 700)).toEqual(RED);
  });

  it("is not confused with a video, which fails with render_timeout", async () => {
    expect((await failureOf(shortTimeoutRenderer.render(screenshot(site.url("/video"))))).code).toBe(
      "render_timeout",
    );
  });
});

describe.concurrent("a response that never completes", () => {
  it.each(["/hangs", "/never-ends"])("fails the render with render_timeout: %s", async (path) => {
    expect((await failureOf(shortTimeoutRenderer.render(defaultScreenshot(site.url(path))))).code).toBe(
      "render_timeout",
    );
  });
});
