// @module-tag browser

import { beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { readPdf } from "./read-pdf.ts";
import { errorOf, failureOf, openRenderer, pdf, screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const WHITE = [255, 255, 255, 255];

/** Two stacked 100 px boxes, red above green. */
const BOXES = `<!doctype html><style>body{margin:0}div{height:100px}#a{background:red}#b{background:green}</style>
  <div id=a class="box banner"><b style="visibility:visible">text</b></div><div id=b class=box></div>`;

/** The control hides the form's own property `style`. */
const FORM = `<form role=dialog style="height:100px;background:red"><select name=style hidden></select></form>
  <div style="height:100px;background:green"></div>`;

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({
    "/": BOXES,
    "/quoted": BOXES.replace("id=b class=box", "id=b class=md:flex title=x"),
    "/csp": (_request, response) =>
      void response
        .writeHead(200, {
          "content-type": "text/html",
          "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        })
        .end(BOXES),
    "/important": BOXES.replace("id=a", 'id=a style="display:block !important"'),
    "/form": `<!doctype html><style>body{margin:0}</style>${FORM}`,
    "/form-break": `<!doctype html>${FORM.replace("height:100px", "break-before:page;height:50vh")}`,
    "/form-scroller": `<!doctype html>${FORM.replace("height:100px", "height:90vh;overflow:auto").replace("</form>", "<div style='height:2000px'></div></form>")}`,
    "/form-dialog": `<!doctype html>${FORM.replace("height:100px", "position:fixed;bottom:0").replace(
      "</form>",
      "We and our partners use cookies to improve your experience.<button type=button>Accept all cookies</button></form>",
    )}`,
    "/late": `${BOXES}<script>setTimeout(() => document.body.insertAdjacentHTML("afterbegin", "<div class=banner style='background:blue'>"), 200)</script>`,
    "/late-important": `${BOXES}<script>setTimeout(() => document.body.insertAdjacentHTML("afterbegin",
      "<div class=banner style='background:blue;display:block!important;visibility:visible!important'>"), 200)</script>`,
    "/shadow": `<!doctype html><style>body{margin:0}</style><div id=host></div><script>
      host.attachShadow({ mode: "open" }).innerHTML = "<style>div{height:100px}</style><div id=a style=background:red></div>"
        + "<div id=b style=background:green onclick='host.style.filter = \\"invert(1)\\"'></div>";
      setTimeout(() => host.shadowRoot.append(document.createElement("i")), 300);
    </script>`,
    "/transitions": `<!doctype html><style>
        body { margin: 0 } b, b::before, i { transition: all 60s } b::before { content: ""; visibility: visible }
        b, b::before, i { display: block; height: 100px; background: red }
      </style>
      <div id=a><b></b></div>
      <div id=b><template shadowrootmode=open><style>b { display: block; height: 100px; background: red; transition: all 60s }</style><b></b></template></div>
      <i></i>`,
    "/hero": `<!doctype html><style>body{margin:0}</style><div id=hero style="height:5000px"></div><img loading=lazy src=/slow.svg style="display:block">`,
    "/slow.svg": (_request, response) =>
      void setTimeout(() => {
        response.setHeader("content-type", "image/svg+xml");
        response.end(
          "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'><rect width='100' height='100' fill='red'/></svg>",
        );
      }, 700),
    "/image.svg": (_request, response) =>
      void response
        .setHeader("content-type", "image/svg+xml")
        .end("<svg xmlns='http://www.w3.org/2000/svg'><rect width='100' height='100' fill='red'/></svg>"),
    "/feed.xml": (_request, response) =>
      void response.setHeader("content-type", "text/xml").end("<feed><frame>text</frame></feed>"),
    "/buttons": `<!doctype html><style>body{margin:0}</style><div style="height:3000px;border-top:20px solid green"></div>
      <button id=button onclick="this.style.background = event.isTrusted ? 'red' : 'blue'; document.body.style.background = this.style.background">go</button>`,
    "/covered": `<!doctype html><button id=button style="position:absolute;top:0" onclick="document.body.style.background = 'red'">go</button>
      <div style="position:fixed;inset:0">overlay</div>`,
    "/link": `<!doctype html><a id=button href="/red">go</a>`,
    "/to-boxes": `<!doctype html><a id=button href="/">go</a>`,
    "/red": `<!doctype html><body style="background:red">`,
    "/to-slow-style": `<!doctype html><a id=button href="/slow-style">go</a>`,
    "/slow-style": `<!doctype html><link rel=stylesheet href="/never"><body style="background:red">`,
    "/never": () => {},
    "/contents": `<!doctype html><html style="scroll-behavior:smooth"><a id=button href="#part">go</a><div style="height:3000px"></div><div id=part style="height:2000px;background:red">`,
    "/fetches": `<!doctype html><button id=button onclick="fetch('/slow').then((r) => r.text()).then(() => document.body.style.background = 'red')">go</button>`,
    "/slow": (_request, response) => void setTimeout(() => response.end("slow"), 300),
    "/spinner": `<!doctype html><p class=spinner>wait</p><script>
      setTimeout(() => { document.querySelector(".spinner").style.opacity = 0; document.body.style.background = "red" }, 300)</script>`,
    "/app": `<!doctype html><script>setTimeout(() => { window.app = { ready: true }; document.body.style.background = "red" }, 300)</script>`,
  });
  renderer = openRenderer([site.port]);
  return async () => {
    await renderer.close();
    await site.close();
  };
});

async function render(
  path: string,
  options: ScreenshotOptions,
): Promise<{
  readonly notes: readonly string[];
  pixel(x: number, y: number): number[];
}> {
  const { bytes, notes } = await renderer.render(screenshot(site.url(path), options));
  const { pixel } = readPng(bytes);
  return { notes, pixel };
}

describe("css", () => {
  it.each(["/", "/csp"])("is added to %s", async (path) => {
    const { pixel } = await render(path, { css: "#a { background: green }" });
    expect(pixel(700, 50)).toEqual(GREEN);
  });

  it("applies at once, even where the page has transitions", async () => {
    const { pixel } = await render("/transitions", { css: "#a b { height: 50px } i { background: green }" });
    expect([pixel(700, 25), pixel(700, 175), pixel(700, 225)]).toEqual([RED, GREEN, GREEN]);
  });

  it("waits for the images that it adds", async () => {
    const css = "#b { background: url(/slow.svg) }";
    for (const options of [{}, { fullPage: true }]) {
      const { pixel } = await render("/", { css, waitUntil: undefined, ...options });
      expect(pixel(700, 150)).toEqual(RED);
    }
  });

  it.each<ScreenshotOptions>([{ click: "#button" }, { script: "location.href = '/'" }])(
    "applies to the page that %j leads to, and waits for the images that it adds",
    async (options) => {
      const css = "#b { background: url(/slow.svg) }";
      const { pixel } = await render("/to-boxes", { css, waitUntil: undefined, ...options });
      expect([pixel(700, 50), pixel(700, 150)]).toEqual([RED, RED]);
    },
  );

  it.each<ScreenshotOptions>([
    { script: "document.adoptedStyleSheets = []" },
    {
      script: "setTimeout(() => { document.adoptedStyleSheets = []; window.isDone = true }, 300)",
      waitForFunction: "window.isDone",
    },
  ])("remains if the page replaces its adopted style sheets: %j", async (options) => {
    const { pixel } = await render("/", { css: "#a { background: green }", ...options });
    expect(pixel(700, 50)).toEqual(GREEN);
  });

  it("is added once, so a sheet that the page adds later takes precedence", async () => {
    const script = `const sheet = new CSSStyleSheet();
      sheet.replaceSync("#a { background: green }");
      document.adoptedStyleSheets.push(sheet);`;
    const { pixel } = await render("/", { css: "#a { background: blue }", script });
    expect(pixel(700, 50)).toEqual(GREEN);
  });

  it("applies to PDFs", async () => {
    for (const [css, texts] of [
      ["body { margin: 0 }", ["text"]],
      ["body { display: none }", []],
    ] as const) {
      const { pages } = await readPdf((await renderer.render(pdf(site.url("/"), { css }))).bytes);
      expect(pages.flatMap(({ textItems }) => textItems.map(({ text }) => text))).toEqual(texts);
    }
  });
});

describe("hideSelectors", () => {
  it("hides elements and their descendants, which still take up space", async () => {
    const { pixel } = await render("/", { hideSelectors: ".none, .banner" });
    expect(pixel(700, 50)).toEqual(WHITE);
    expect(pixel(10, 10)).toEqual(WHITE);
    expect(pixel(700, 150)).toEqual(GREEN);
  });

  it("hides elements immediately, even if they have transitions", async () => {
    const { pixel } = await render("/transitions", { hideSelectors: "#a, #b" });
    expect([pixel(700, 50), pixel(700, 150), pixel(700, 250)]).toEqual([WHITE, WHITE, RED]);
  });
});

describe("removeSelectors", () => {
  it.each(["/", "/csp", "/important"])("removes elements on %s from the layout", async (path) => {
    const { pixel } = await render(path, { removeSelectors: "#a" });
    expect(pixel(700, 50)).toEqual(GREEN);
  });

  it("removes elements that are added later", async () => {
    const { pixel } = await render("/late", {
      removeSelectors: ".banner",
      waitForFunction: "document.querySelectorAll(`.banner`).length === 2",
    });
    expect(pixel(700, 50)).toEqual(GREEN);
  });
});

it("removeSelectors waits for the images that come into view", async () => {
  for (const options of [{}, { javascript: false }, { waitUntil: undefined }]) {
    const { pixel } = await render("/hero", { removeSelectors: "#hero", ...options });
    expect(pixel(50, 50)).toEqual(RED);
  }
});

describe("hideSelectors and removeSelectors", () => {
  it("accept single quotes and backslashes", async () => {
    const selectors = { hideSelectors: ".md\\:flex", removeSelectors: "[class='box banner']" };
    const { pixel } = await render("/quoted", selectors);
    expect([pixel(700, 50), pixel(700, 150)]).toEqual([WHITE, WHITE]);
  });

  it.each(["hideSelectors", "removeSelectors"])(
    "apply to elements that are added later with `!important` inline styles: %s",
    async (name) => {
      const { pixel } = await render("/late-important", {
        [name]: ".banner",
        waitForFunction: "document.querySelectorAll(`.banner`).length === 2",
      });
      expect(pixel(700, 50)).toEqual(name === "hideSelectors" ? WHITE : GREEN);
    },
  );

  it.each([
    ["hideSelectors", WHITE],
    ["removeSelectors", GREEN],
  ])("reach into open shadow roots: %s", async (name, color) => {
    const { pixel } = await render("/shadow", { [name]: "#a" });
    expect(pixel(700, 50)).toEqual(color);
  });

  it.each([
    { hideSelectors: "a{}b" },
    { removeSelectors: "!!" },
    { hideSelectors: "[class" },
    { removeSelectors: '[class="banner' },
    { removeSelectors: "#a /*" },
  ])("reject %j", async (options) => {
    expect(await errorOf(render("/", options))).toMatchObject({
      code: "render_failed",
      message: expect.stringContaining("is not valid CSS") as string,
      notes: ["selector-unmatched"],
    });
  });
});

describe("click", () => {
  it("clicks like a user, even an element below the viewport, and scrolls back to the top", async () => {
    const { pixel, notes } = await render("/buttons", { click: "button" });
    expect([pixel(700, 10), pixel(700, 30)]).toEqual([GREEN, RED]);
    expect(notes).toEqual([]);
  });

  it("clicks an element that an overlay covers", async () => {
    const { pixel } = await render("/covered", { click: "#button" });
    expect(pixel(700, 500)).toEqual(RED);
  });

  it("clicks in an open shadow root", async () => {
    const { pixel } = await render("/shadow", { click: "#b" });
    expect(pixel(700, 50)).toEqual([0, 255, 255, 255]);
  });

  it("waits for the page that a link leads to", async () => {
    const { pixel } = await render("/link", { click: "#button" });
    expect(pixel(700, 500)).toEqual(RED);
  });

  it("shows the part of the page that a link leads to", async () => {
    const { pixel } = await render("/contents", { click: "#button" });
    expect([pixel(700, 0), pixel(700, 799)]).toEqual([RED, RED]);
  });

  it("captures the next page after waitTimeout if its style sheet never arrives", async () => {
    const options = { click: "#button", waitTimeout: 1_000, onWaitTimeout: "capture" } as const;
    const { pixel, notes } = await render("/to-slow-style", options);
    expect([pixel(700, 500), notes]).toEqual([RED, ["wait-capped"]]);
  });

  it("waits for the requests that it starts", async () => {
    const { pixel } = await render("/fetches", { click: "#button", waitUntil: "networkidle0" });
    expect(pixel(700, 500)).toEqual(RED);
  });

  it("adds a note if nothing matches", async () => {
    expect((await render("/", { click: "#none" })).notes).toEqual(["click-unmatched"]);
  });
});

describe("script", () => {
  it.each([
    [
      "runs in the page's own JavaScript context",
      "document.body.innerHTML = ''; document.body.style.background = 'red'",
    ],
    [
      "is awaited",
      "await new Promise((resolve) => setTimeout(resolve, 200)); document.body.innerHTML = ''; document.body.style.background = 'red'",
    ],
    [
      "can return early",
      "document.body.innerHTML = ''; document.body.style.background = 'red'; return 1; // done",
    ],
    ["can navigate", "location = '/red'"],
    [
      "can return anything",
      "document.body.innerHTML = ''; document.body.style.background = 'red'; return window",
    ],
  ])("%s", async (_name, script) => {
    const { pixel } = await render("/", { script });
    expect(pixel(700, 50)).toEqual(RED);
  });

  it("is not subject to the page's content security policy", async () => {
    const { pixel } = await render("/csp", { script: "document.querySelector('#a').remove()" });
    expect(pixel(700, 50)).toEqual(GREEN);
  });

  it.each([
    ["throw new TypeError('no such thing')", "The script failed: TypeError: no such thing"],
    ["await Promise.reject('text')", "The script failed: text"],
    ["throw 'a' + '😀'.repeat(150)", `The script failed: a${"😀".repeat(99)}\uFFFD…`],
    ["const = 1", "The script failed: SyntaxError: Unexpected token '='"],
  ])("fails the render if it is %j", async (script, message) => {
    expect(await failureOf(render("/", { script }))).toEqual({ code: "script_failed", message });
  });

  it("does not leak secrets in its error", async () => {
    const secrets = {
      basicAuth: "user:open-sesame",
      cookies: [{ name: "session", value: "cookie-value" }],
      headers: { "X-Key": "header-value" },
    };
    const script = "throw new Error(`open-sesame ${document.cookie} header-value dXNlcjpvcGVuLXNlc2FtZQ==`)";
    expect(await failureOf(render("/", { ...secrets, script }))).toMatchObject({
      message: "The script failed: Error: [redacted] session=[redacted] [redacted] [redacted]",
    });
  });

  it("fails the render if it does not finish within ten seconds", async () => {
    const endless = ["for (;;);", "await new Promise(() => {})"];
    const failures = await Promise.all(endless.map((script) => failureOf(render("/", { script }))));
    expect(failures.map(({ code }) => code)).toEqual(["script_failed", "script_failed"]);
  });
});

describe("wait parameters", () => {
  it.each<[string, ScreenshotOptions]>([
    ["/app", { waitForFunction: "app.ready" }],
    ["/app", { waitForFunction: "JSON.parse(app.ready ? `true` : ``)" }],
    ["/app", { waitForFunction: "Promise.resolve(app.ready) // soon" }],
    ["/spinner", { waitForHidden: ".spinner" }],
  ])("wait on %s for %j", async (path, options) => {
    const { pixel, notes } = await render(path, options);
    expect(pixel(700, 500)).toEqual(RED);
    expect(notes).toEqual([]);
  });

  it.each<[string, ScreenshotOptions]>([
    ["waitForFunction", { waitForFunction: "false" }],
    ["waitForFunction", { waitForFunction: "(() => { for (;;); })()" }],
    ["waitForHidden", { waitForHidden: "#a" }],
    ["waitForSelector", { waitForSelector: "#none" }],
  ])("time out after waitTimeout, with an error that names %s: %j", async (name, options) => {
    const failure = failureOf(render("/", { ...options, waitTimeout: 500 }));
    expect(await failure).toEqual({
      code: "render_timeout",
      message: `${name} timed out after 500 ms; increase waitTimeout, or set onWaitTimeout to capture.`,
    });
    const { pixel, notes } = await render("/", { ...options, waitTimeout: 500, onWaitTimeout: "capture" });
    expect(pixel(700, 50)).toEqual(RED);
    expect(notes).toEqual(["wait-capped"]);
  });

  it("retry an expression that never yields, until the wait times out", async () => {
    const options = { waitForFunction: "(() => { for (;;); })()", waitTimeout: 1_500 } as const;
    const { notes } = await render("/", { ...options, onWaitTimeout: "capture" });
    expect(notes).toEqual(["wait-capped"]);
  });

  it("capture a page that does not become idle in time", async () => {
    const options = { waitUntil: "networkidle0", waitTimeout: 200, onWaitTimeout: "capture" } as const;
    const { notes } = await render("/", { ...options, script: "setInterval(() => fetch('/slow'), 50)" });
    expect(notes).toEqual(["wait-capped"]);
  });

  it("reject an invalid expression", async () => {
    expect(await failureOf(render("/", { waitForFunction: "a b" }))).toEqual({
      code: "script_failed",
      message: "waitForFunction is not a valid expression: SyntaxError: Unexpected identifier 'b'",
    });
  });

  it("apply to PDFs", async () => {
    const { notes } = await renderer.render(
      pdf(site.url("/"), { waitForFunction: "false", waitTimeout: 100, onWaitTimeout: "capture" }),
    );
    expect(notes).toEqual(["wait-capped"]);
  });
});

describe("a form with a control named `style`", () => {
  it("can be removed or hidden", async () => {
    expect((await render("/form", { removeSelectors: "form" })).pixel(700, 50)).toEqual(GREEN);
    expect((await render("/form", { hideSelectors: "body" })).pixel(700, 50)).toEqual(WHITE);
  });

  it("can be expanded", async () => {
    const options = { fullPage: true, expandScrollers: true };
    const { bytes } = await renderer.render(screenshot(site.url("/form-scroller"), options));
    expect(readPng(bytes).height).toBeGreaterThan(2000);
  });

  it("can be printed on a single page", async () => {
    const { bytes } = await renderer.render(pdf(site.url("/form-break"), { singlePage: true }));
    expect((await readPdf(bytes)).pages).toHaveLength(1);
  });

  it("can be hidden as a consent dialog", async () => {
    const { notes, pixel } = await render("/form-dialog", { blockCookieBanners: true });
    expect(notes).toEqual(["consent-hidden"]);
    expect(pixel(10, 790)).toEqual(WHITE);
  });
});

describe("a page that is not HTML", () => {
  it("can be changed", async () => {
    expect((await render("/image.svg", { colorScheme: "dark" })).pixel(50, 50)).toEqual(RED);
    expect((await render("/image.svg", { css: "rect { fill: green }" })).pixel(50, 50)).toEqual(GREEN);
    expect((await render("/image.svg", { mask: "rect" })).pixel(50, 50)).toEqual([255, 0, 255, 255]);
    expect((await render("/feed.xml", { fullPage: true, locale: "de" })).notes).toEqual([]);
  });

  it("can be printed on a single page", async () => {
    const { bytes } = await renderer.render(pdf(site.url("/image.svg"), { singlePage: true }));
    expect((await readPdf(bytes)).pages).toHaveLength(1);
  });
});
