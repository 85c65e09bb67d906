// @module-tag browser

import { PDFDocument } from "pdf-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { readPdf } from "./read-pdf.ts";
import { defaultScreenshot, openRenderer, pdf, screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const GOLD = [255, 215, 0, 255];
const WHITE = [255, 255, 255, 255];

const SECTION_HEIGHT = 700;
/**
 * Elements that are green only in the middle of their timelines. The last timeline follows the
 * vertical axis, the others the horizontal one.
 */
const viewTimelinePage = (writingMode: string, axes: readonly string[]) => `<!doctype html><style>
    body { margin: 0; height: 3000px; writing-mode: ${writingMode} }
    i { position: absolute; left: 0; width: 100%; height: 100px; animation: redden both }
    @keyframes redden { from, 40%, 60%, to { background: red } 45%, 55% { background: green } }
  </style>${axes.map((axis, i) => `<i style="top:${i * 1000}px;animation-timeline:view(${axis})"></i>`).join("")}`;
/**
 * A page with a list of red sections. Its script defines `add`, which appends a section, and runs
 * `first`. When the end of the list is in view, it runs `load` and `add`, up to `times` times.
 */
const list = (
  times: number,
  load: string,
  first = "",
) => `<body style="margin:0"><i id=end style="display:block"></i><script>
  let count = 0;
  const add = () => end.before(Object.assign(document.createElement("section"),
    { style: "height:${SECTION_HEIGHT}px;background:red" }));
  ${first}
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting || count >= ${times}) return;
    count += 1;
    ${load}
    add();
    observer.unobserve(end);
    observer.observe(end);
  });
  observer.observe(end);
</script>`;

/** The first sections. Without them, a page with a slow first response would be captured empty. */
const THREE = "add(); add(); add();";

/** Twelve sections, each filled by a script when it comes into view. */
const sections = (fill: string, root = "document.body") => `<body style="margin:0"><div id=host></div><script>
  const root = ${root};
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target: section } of entries) if (isIntersecting) { ${fill} }
  });
  for (let i = 0; i < 12; i += 1) {
    const section = document.createElement("section");
    section.style.cssText = "height:${SECTION_HEIGHT}px";
    section.id = "s" + i;
    root.append(section);
    observer.observe(section);
  }
</script>`;

const PAGES: Parameters<typeof openSite>[0] = {
  "/grows": list(12, ""),
  // three sections a request: twelve requests one after another can take 2 seconds on a busy machine
  "/grows-by-fetching": list(3, "await (await fetch('/slow?' + count)).text(); add(); add();", THREE),
  "/grows-after-fetching": list(
    3,
    "await fetch('/red'); await new Promise((resolve) => setTimeout(resolve, 150)); add(); add();",
    THREE,
  ),
  "/infinite": list(Infinity, ""),
  "/images": sections(`section.innerHTML = "<img src='/red.svg?" + section.id + "' width=100% height=100%>"`),
  "/backgrounds": sections(`section.style.background = "url(/red.svg?" + section.id + ")"`),
  "/frames": sections(
    `section.innerHTML = "<iframe src=/red width=100% height=100% style='border:0'></iframe>"`,
  ),
  "/shadow": sections(
    `section.style.background = "red"`,
    "document.querySelector('#host').attachShadow({ mode: 'open' })",
  ),
  "/revealed": `<style>
      section { height: ${SECTION_HEIGHT}px; background: red; opacity: 0; transition: opacity .5s }
      .seen { opacity: 1 }
    </style>
    ${sections(`section.className = "seen"`)}`,
  "/lazy-in-shadow": `<body style="margin:0"><div id=host></div><script>
    document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML =
      "<div style='height:20000px'></div><img loading=lazy src=/red.svg width=100 height=100 style='display:block'>";
  </script>`,
  "/lazy-frame": `<body style="margin:0"><div style="height:9000px"></div>
    <iframe loading=lazy src=/late-red width=300 height=150 style="border:0;display:block"></iframe>
    <iframe loading=lazy src="about:blank"></iframe><iframe loading=lazy src="javascript:0"></iframe><iframe loading=lazy></iframe>`,
  "/late-red": (_request, response) =>
    void setTimeout(
      () => response.setHeader("content-type", "text/html").end("<body style='background:red'>"),
      700,
    ),
  "/contained": `<!doctype html><body style="margin:0"><style>
      section { content-visibility: auto; contain-intrinsic-size: 100px } section div { height: ${SECTION_HEIGHT}px; background: url(/red.svg) }
    </style><x-sections><template shadowrootmode=open><style>
      section { content-visibility: auto; contain-intrinsic-size: 100px } section div { height: ${SECTION_HEIGHT}px; background: red }
    </style>${"<section><div></div></section>".repeat(6)}</template></x-sections>${"<section><section><div></div></section></section>".repeat(6)}`,
  "/fixed": `<!doctype html><style>
      body { margin: 0; background: linear-gradient(red, red) fixed }
      section { margin-top: 1500px; height: 500px; background: linear-gradient(green, green) fixed }
    </style><section id=last></section>`,
  "/reveals": `<!doctype html><style>
      body { margin: 0 } i, section { display: block; animation: both; animation-timeline: view() }
      i { height: 100px; background: green; animation-name: appear }
      @keyframes appear { 40%, 60% { visibility: visible } from, to { visibility: hidden } }
      section { height: 2000px; background: green; animation-name: redden; animation-range: contain }
      nav i { height: 50px; animation-name: redden }
      @keyframes redden { from { background: green } to { background: red } }
      nav { height: 100px; overflow: auto } nav::after { content: ""; display: block; height: 1000px }
    </style><div style="height:1500px"></div><i>text</i><nav><i style="animation-range:60% 80%"></i></nav><section id=last></section>`,
  "/horizontal": viewTimelinePage("horizontal-tb", ["x", "inline", "block"]),
  "/vertical": viewTimelinePage("vertical-rl", ["x", "block", "inline"]),
  "/retimes": `<!doctype html><body style="margin:0"><i style="display:block;height:2000px;background:green"></i><script>
      const followed = document.querySelector("i");
      const timeline = new ViewTimeline({ subject: followed });
      const animation = followed.animate({ opacity: [1, 1] }, { fill: "both", timeline });
      const retime = () => {
        if (animation.playState === "paused") animation.timeline = document.timeline;
        else requestAnimationFrame(retime);
      };
      retime();
    </script>`,
  "/margins": `<!doctype html><body style="margin:0">${'<section style="content-visibility:auto"><p style="height:400px;margin:100px 0"></p></section>'.repeat(5)}`,
  "/inner": `<body style="margin:0"><div id=inner style="height:400px;overflow:auto">${sections(`section.style.background = section.id === "s0" ? "gold" : "red"; if (section.id === "s11") document.body.style.borderTop = "20px solid green"`, "document.querySelector('#inner')").replace('<body style="margin:0">', "")}</div>`,
  "/collapsed": `<body style="margin:0;background:red">
    <nav style="width:0;height:100px;overflow-x:hidden"><a style="display:block;padding:8px 32px">menu</a></nav>
    <nav style="max-height:0;overflow-y:hidden;white-space:nowrap"><a style="margin-left:5000px">menu</a></nav>`,
  "/header": `<body style="margin:0"><style>#hero { height: 100vh; background: green } #rest { height: 3000px; background: red }</style>
    <header style="position:sticky;top:0;height:60px;background:gold"></header><div id=hero></div><div id=rest></div>
    <script>addEventListener("scroll", () => { document.querySelector("header").style.background = scrollY > 0 ? "blue" : "gold" })</script>`,
  "/feed": (_request, response) =>
    void response
      .setHeader("content-type", "application/xml")
      .end(
        `<?xml-stylesheet href="/feed.css"?><feed><img loading="lazy"/><iframe loading="lazy"/><last/></feed>`,
      ),
  "/feed.css": (_request, response) =>
    void response
      .setHeader("content-type", "text/css")
      .end(
        "feed, img { display: block; height: 1500px } last { display: block; height: 100px; background: red }",
      ),
  "/follows": `<body style="margin:0"><div id=content style="position:fixed;top:0;width:100%">
    <header style="height:20px;background:gold"></header><div style="height:2980px;background:red"></div></div><script>
    document.body.style.height = "3000px";
    let y = 0;
    const follow = () => {
      y += (scrollY - y) / 4;
      content.style.transform = "translateY(" + -y + "px)";
      requestAnimationFrame(follow);
    };
    follow();
  </script>`,
  "/reacts-late": `<body style="margin:0"><style>form { height: 60px; background: gold } .scrolled { background: blue; font-size: 0 }</style>
    <form id=header><input type=hidden name=getAttribute><input type=hidden name=getBoundingClientRect>text</form>
    <div style="height:3000px"></div><script>
    const update = () => header.classList.toggle("scrolled", scrollY > 0);
    addEventListener("scroll", () => scrollY > 0 ? update() : setTimeout(update, 200));
  </script>`,
  "/throttled": `<body style="margin:0;height:9000px"><script>
    let next = 0;
    addEventListener("scroll", () => {
      if (performance.now() < next) return;
      next = performance.now() + 100;
      const seen = document.createElement("div");
      seen.style.cssText = "position:absolute;background:red;width:100%;height:" + innerHeight + "px;top:" + scrollY + "px";
      document.body.append(seen);
    });
  </script>`,
  "/scrolled-to": `<body style="margin:0;height:5000px"><div id=far style="position:absolute;top:3000px"></div>
    <script>addEventListener("scroll", () => { document.body.style.background = "red" })</script>`,
  "/short": `<body><script>addEventListener("scroll", () => { document.body.style.background = "red" })</script>`,
  "/red": "<body style='background:red'>",
  "/slow": (_request, response) => void setTimeout(() => response.end("slow"), 30),
  "/red.svg": (_request, response) =>
    void setTimeout(() => {
      response.setHeader("content-type", "image/svg+xml");
      response.end(
        "<svg xmlns='http://www.w3.org/2000/svg' width='700' height='700'><rect width='700' height='700' fill='red'/></svg>",
      );
    }, 30),
};

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite(PAGES);
  renderer = openRenderer([site.port]);
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

interface RenderedSections {
  readonly height: number;
  /** The color in the middle of each section. */
  readonly colors: number[][];
  readonly notes: readonly string[];
}

/** Renders a page of sections with the default wait, which tracks its requests. */
async function renderSections(path: string, options: object = {}): Promise<RenderedSections> {
  const parameters = {
    ...defaultScreenshot(site.url(path)),
    fullPage: true,
    width: 300,
    height: 600,
    ...options,
  };
  const { bytes, notes } = await renderer.render(parameters);
  const image = readPng(bytes);
  const middles = Array.from({ length: 12 }, (_, index) => (index + 0.5) * SECTION_HEIGHT);
  const colors = middles.filter((y) => y < image.height).map((y) => image.pixel(150, y));
  return { height: image.height, colors, notes };
}

const TWELVE = { height: 12 * SECTION_HEIGHT, colors: Array.from({ length: 12 }, () => RED), notes: [] };

describe("a full page with lazyContent=auto (the default)", () => {
  it.each([
    ["a list that grows as it is scrolled", "/grows"],
    ["a list that fetches each part", "/grows-by-fetching"],
    ["a list that adds each part a little after it is fetched", "/grows-after-fetching"],
    ["images that a script inserts", "/images"],
    ["backgrounds that a script sets", "/backgrounds"],
    ["frames that a script inserts", "/frames"],
    ["sections in a shadow root", "/shadow"],
    ["sections that fade in", "/revealed"],
  ])("shows all twelve sections: %s", async (_title, path) => {
    const { height, colors, notes } = await renderSections(path);
    // a slow machine might need all of the 2 seconds, and the render then has a note
    expect({ height, colors }, `notes: ${notes.join()}`).toEqual({
      height: TWELVE.height,
      colors: TWELVE.colors,
    });
  });

  it("loads lazy images in shadow roots", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/lazy-in-shadow"), { fullPage: true }));
    expect(readPng(bytes).pixel(50, 20_050)).toEqual(RED);
  });

  it.each([
    [{ fullPage: true }, 9_075],
    [{ selector: "iframe" }, 75],
    [{ clipX: 0, clipY: 9_000, clipWidth: 300, clipHeight: 150 }, 75],
  ])("loads lazy frames in every capture beyond the viewport: %j", async (part, y) => {
    const { bytes } = await renderer.render(screenshot(site.url("/lazy-frame"), part));
    expect(readPng(bytes).pixel(150, y)).toEqual(RED);
  });

  it.each([{}, { javascript: false }])(
    "shows content that content-visibility skips outside the viewport: %j",
    async (options) => {
      expect(await renderSections("/contained", { ...options, width: SECTION_HEIGHT })).toEqual(TWELVE);
      const part = await renderSections("/contained", {
        ...options,
        fullPage: false,
        selector: "section:last-child",
      });
      expect(part).toEqual({ height: SECTION_HEIGHT, colors: [RED], notes: [] });
    },
  );

  it("does not collapse margins across sections with content-visibility: auto", async () => {
    const { height } = await renderSections("/margins");
    expect(height).toBe(5 * 600);
  });

  it("returns to the top: a sticky header appears once, and a viewport-high hero is not stretched", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/header"), { fullPage: true }));
    const image = readPng(bytes);
    expect(image.height).toBe(60 + 800 + 3000);
    expect([30, 70, 859, 860, 3859].map((y) => image.pixel(600, y))).toEqual([GOLD, GREEN, GREEN, RED, RED]);
  });

  it.each<ScreenshotOptions>([{}, { lazyContent: "scroll" }])(
    "waits until the page has reacted to the scroll back to the top: %j",
    async (options) => {
      const follows = await renderer.render(screenshot(site.url("/follows"), { fullPage: true, ...options }));
      const { pixel } = readPng(follows.bytes);
      expect([10, 30, 2990].map((y) => pixel(600, y))).toEqual([GOLD, RED, RED]);
      const late = await renderer.render(
        screenshot(site.url("/reacts-late"), { fullPage: true, ...options }),
      );
      expect(readPng(late.bytes).pixel(600, 30)).toEqual(GOLD);
    },
  );

  it("captures an infinite list up to a limit, with a note", async () => {
    const { height, notes } = await renderSections("/infinite");
    expect(height).toBeGreaterThan(5000);
    expect(notes).toEqual(["lazy-capped"]);
  });

  it("scrolls no further than fullPageMaxHeight", async () => {
    expect(await renderSections("/infinite", { fullPageMaxHeight: 1500 })).toMatchObject({
      height: 1500,
      notes: ["height-capped"],
    });
  });

  it("does not scroll a page that fits into the viewport, or a capture of the viewport", async () => {
    for (const [path, options] of [
      ["/short", { fullPage: true }],
      ["/scrolled-to", {}],
      ["/scrolled-to", { clipX: 0, clipY: 0, clipWidth: 50, clipHeight: 50 }],
    ] as const) {
      const { bytes } = await renderer.render(screenshot(site.url(path), options));
      expect(readPng(bytes).pixel(20, 20)).toEqual(WHITE);
    }
  });
});

it.each<[ScreenshotOptions, number[], number[]]>([
  [{ fullPage: true }, RED, GREEN],
  [{ fullPage: true, javascript: false }, RED, GREEN],
  [{ fullPage: true, lazyContent: "off" }, WHITE, WHITE],
  [{ clipX: 0, clipY: 0, clipWidth: 300, clipHeight: 2000 }, WHITE, GREEN],
])("with %j, fixed backgrounds below the viewport are %j and %j", async (part, page, section) => {
  for (const path of ["/fixed", "/fixed#last"]) {
    const { bytes } = await renderer.render(screenshot(site.url(path), part));
    const { pixel } = readPng(bytes);
    expect([pixel(150, 700), pixel(150, 1400), pixel(150, 1990)]).toEqual([RED, page, section]);
  }
});

it.each<ScreenshotOptions>([
  { fullPage: true },
  { fullPage: true, lazyContent: "scroll" },
  { selector: "last" },
  { clipX: 0, clipY: 0, clipWidth: 100, clipHeight: 1600 },
])("captures XML whose elements have the names of images and frames: %j", async (part) => {
  const { bytes, notes } = await renderer.render(screenshot(site.url("/feed"), part));
  const image = readPng(bytes);
  expect([image.pixel(50, image.height - 50), notes]).toEqual([RED, []]);
});

describe("animations with a view timeline", () => {
  it.each<ScreenshotOptions>([
    { fullPage: true },
    { fullPage: true, javascript: false },
    { fullPage: true, stabilize: true },
    { clipX: 0, clipY: 0, clipWidth: 300, clipHeight: 3700 },
  ])("stop where their element is in the middle of the viewport or fills it: %j", async (part) => {
    for (const path of ["/reveals", "/reveals#last"]) {
      const { bytes } = await renderer.render(screenshot(site.url(path), part));
      const { pixel } = readPng(bytes);
      expect([1550, 2000, 3690].map((y) => pixel(150, y))).toEqual([GREEN, GREEN, GREEN]);
    }
  });

  it.each(["/horizontal", "/vertical"])("continue along the horizontal axis: %s", async (path) => {
    const { bytes } = await renderer.render(screenshot(site.url(path), { fullPage: true }));
    const { pixel } = readPng(bytes);
    expect([50, 1050, 2050].map((y) => pixel(150, y))).toEqual([GREEN, GREEN, GREEN]);
  });

  it("can get another timeline from the page while they are being stopped", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/retimes"), { fullPage: true }));
    expect(readPng(bytes).pixel(150, 1990)).toEqual(GREEN);
  });

  it("continue in an inner scroll container", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/reveals"), { fullPage: true }));
    const [red, green] = readPng(bytes).pixel(150, 1625);
    expect([red, green]).not.toEqual([0, 128]);
  });

  it("show the element in a PDF", async () => {
    const { bytes } = await renderer.render(pdf(site.url("/reveals")));
    const { pages } = await readPdf(bytes);
    expect(pages.flatMap(({ textItems }) => textItems.map(({ text }) => text))).toEqual(["text"]);
  });

  it("continue with lazyContent=off", async () => {
    const options = { fullPage: true, lazyContent: "off" } as const;
    const { bytes } = await renderer.render(screenshot(site.url("/reveals"), options));
    expect(readPng(bytes).pixel(150, 1550)).toEqual(WHITE);
  });
});

describe("a PDF", () => {
  const pagesOf = async (options: object): Promise<number> => {
    const paper = { marginUnit: "px", width: 300, height: SECTION_HEIGHT };
    const { bytes } = await renderer.render(pdf(site.url("/grows"), { ...paper, ...options }));
    return (await PDFDocument.load(bytes)).getPageCount();
  };

  it("contains all twelve sections", async () => {
    expect(await pagesOf({})).toBe(12);
  });

  it("waits until the page has reacted to the scroll back to the top", async () => {
    const { bytes } = await renderer.render(pdf(site.url("/reacts-late")));
    const { pages } = await readPdf(bytes);
    expect(pages[0]?.textItems.map(({ text }) => text)).toEqual(["text"]);
  });

  it("contains only the first sections with lazyContent=off", async () => {
    expect(await pagesOf({ lazyContent: "off" })).toBeLessThan(4);
  });
});

describe.concurrent("lazyContent=scroll", () => {
  it("shows all twelve sections without waiting for the network first", async () => {
    const options = { waitUntil: "load", lazyContent: "scroll" };
    expect(await renderSections("/grows-by-fetching", options)).toEqual(TWELVE);
  });

  it("waits long enough for scripts that handle scrolling only every 100 ms", async () => {
    const { bytes } = await renderer.render(
      screenshot(site.url("/throttled"), { fullPage: true, lazyContent: "scroll" }),
    );
    const image = readPng(bytes);
    for (let y = 800; y < image.height; y += 100) expect([y, image.pixel(600, y)]).toEqual([y, RED]);
  });

  it("also scrolls inner containers, and scrolls them back", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/inner"), { lazyContent: "scroll" }));
    const image = readPng(bytes);
    expect([image.pixel(600, 10), image.pixel(600, 30)]).toEqual([GREEN, GOLD]);
  });

  it("stops after 10 seconds, with a note", async () => {
    const { height, notes } = await renderSections("/infinite", { lazyContent: "scroll" });
    // at most one step of 450 px in 150 ms
    expect(height).toBeGreaterThan(5_000);
    expect(height).toBeLessThan(35_000);
    expect(notes).toEqual(["lazy-capped"]);
  });
});

it("lazyContent=scroll ignores containers that show nothing", async () => {
  const { bytes, notes } = await renderer.render(
    screenshot(site.url("/collapsed"), { lazyContent: "scroll" }),
  );
  expect([readPng(bytes).pixel(600, 600), notes]).toEqual([RED, []]);
});

it("lazyContent=off neither scrolls nor loads lazy images", async () => {
  expect((await renderSections("/grows", { lazyContent: "off" })).height).toBeLessThan(TWELVE.height);
  const options = { fullPage: true, lazyContent: "off" } as const;
  const { bytes } = await renderer.render(screenshot(site.url("/lazy-in-shadow"), options));
  expect(readPng(bytes).pixel(50, 20_050)).toEqual(WHITE);
});
