// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { allowBothSites, openRenderer, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 128, 0, 255];
const BLUE = [0, 0, 255, 255];
const WHITE = [255, 255, 255, 255];

/** Two frames from another site below the viewport, and parts that depend on the viewport's height. */
const PAGE = `<!doctype html><style>
    body { margin: 0 } iframe { display: block; border: 0; width: 400px; height: 200px }
    header { height: 100vh; background: green } footer { position: fixed; bottom: 0; left: 600px; width: 100px; height: 40px; background: blue }
    nav { position: fixed; left: 800px; top: 0; width: 100px; height: 100%; background: blue }
  </style>
  <header></header><iframe class=first></iframe><div style="height:2000px"></div><iframe class=last></iframe>
  <footer></footer><nav></nav>
  <script>
    for (const frame of document.querySelectorAll("iframe"))
      frame.src = location.href.replace("127.0.0.1", "localhost").replace("page", "inner");
    addEventListener("resize", () => { document.body.innerHTML = "resized"; });
  </script>`;

let site: Site;
let renderer: Renderer;

beforeAll(async () => {
  site = await openSite({ "/page": PAGE, "/inner": "<body style='margin:0;background:red'>" });
  renderer = openRenderer([], { targets: allowBothSites(site.port) });
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

describe.concurrent("frames from another site below the viewport", () => {
  it("appear in a full-page screenshot without changing its layout", async () => {
    const { bytes } = await renderer.render(screenshot(site.url("/page"), { fullPage: true }));
    const { width, height, pixel } = readPng(bytes);
    expect([width, height]).toEqual([1280, 3200]);
    expect([pixel(100, 810), pixel(100, 990), pixel(100, 3010), pixel(100, 3190)]).toEqual([
      RED,
      RED,
      RED,
      RED,
    ]);
    expect([pixel(100, 799), pixel(500, 801)]).toEqual([GREEN, WHITE]);
    expect([pixel(650, 759), pixel(650, 761), pixel(650, 799), pixel(650, 801)]).toEqual([
      GREEN,
      BLUE,
      BLUE,
      WHITE,
    ]);
    expect([pixel(850, 799), pixel(850, 801)]).toEqual([BLUE, WHITE]);
  });

  it("can be captured by selector and clip", async () => {
    const selected = await renderer.render(screenshot(site.url("/page"), { selector: ".last" }));
    expect(readPng(selected.bytes)).toMatchObject({ width: 400, height: 200 });
    expect(readPng(selected.bytes).pixel(200, 100)).toEqual(RED);
    const clip = { clipX: 0, clipY: 900, clipWidth: 100, clipHeight: 100 };
    const clipped = await renderer.render(screenshot(site.url("/page"), clip));
    expect(readPng(clipped.bytes).pixel(50, 50)).toEqual(RED);
  });

  it("can be masked individually", async () => {
    const masked = { fullPage: true, mask: ".first", maskColor: "#00ff00" };
    const { bytes } = await renderer.render(screenshot(site.url("/page"), masked));
    const { pixel } = readPng(bytes);
    expect([pixel(100, 900), pixel(100, 3100)]).toEqual([[0, 255, 0, 255], RED]);
  });
});
