// @module-tag browser

import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { parseTargetList } from "../../src/targets/target-list.ts";
import { createPuppeteerRenderer, type PuppeteerRendererOptions } from "../../src/puppeteer/index.ts";
import { startRemoteBrowser } from "./remote-browser.ts";
import { screenshot, type ScreenshotOptions } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

const CHROME =
  /^Mozilla\/5\.0 \([^)]+\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/;
const BOT = "ExampleBot/1.0 (+https://example.com/bot)";

const PAGE_AND_FRAME = ["page", "frame"];
const EVERYWHERE = [...PAGE_AND_FRAME, "worker", "shared"];

/** Returns a script that reports the user agent as scripts see it in one context: a page, a frame or a worker. */
const reportScript = (from: string): string => `(async () => {
  const hints = navigator.userAgentData;
  const full = await hints?.getHighEntropyValues(["fullVersionList", "uaFullVersion"]);
  await fetch("/seen?from=${from}", {
    method: "POST",
    body: JSON.stringify({ userAgent: navigator.userAgent, appVersion: navigator.appVersion, hints, full }),
  });
})()`;

/** What one context reported: the headers of its request, and the values that its scripts see. */
interface ContextReport {
  readonly header: string;
  readonly languages: string;
  readonly hint: string | undefined;
  readonly body: string;
}

let site: Site;
let seen: Record<string, ContextReport>;
/** The contexts whose reports the page waits for. */
let expected: readonly string[];
let allReported: PromiseWithResolvers<void>;
const hintsOfDocument: (string | undefined)[] = [];

beforeAll(async () => {
  site = await openSite({
    "/": (request, response) => {
      hintsOfDocument.push(hintOf(request));
      response.setHeader("content-type", "text/html").end(`<h1>page</h1>
        <img src="/after-reports">
        <iframe src="http://frame.example:${site.port}/frame"></iframe>
        <script>
          ${reportScript("page")};
          new Worker("/worker.js");
          new SharedWorker("/shared.js");
        </script>`);
    },
    "/frame": `<script>${reportScript("frame")}</script>`,
    "/worker.js": (_request, response) =>
      response.setHeader("content-type", "text/javascript").end(reportScript("worker")),
    "/shared.js": (_request, response) =>
      response.setHeader("content-type", "text/javascript").end(reportScript("shared")),
    "/seen": (request, response) => void record(request, response),
    // delays the render until all reports have arrived
    "/after-reports": (_request, response) => void allReported.promise.then(() => response.end()),
  });
});

beforeEach(() => {
  seen = {};
  allReported = Promise.withResolvers();
  hintsOfDocument.length = 0;
});

afterAll(() => site.close());

async function record(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const from = new URL(request.url ?? "", "http://site").searchParams.get("from") ?? "";
  const body = await text(request);
  const { "user-agent": header = "", "accept-language": languages = "" } = request.headers;
  seen[from] = { header, languages, hint: hintOf(request), body };
  response.end();
  if (expected.every((name) => name in seen)) allReported.resolve();
}

function hintOf({ headers }: IncomingMessage): string | undefined {
  const brands = headers["sec-ch-ua"];
  return brands === undefined ? undefined : String(brands);
}

async function render(
  options: PuppeteerRendererOptions,
  reporters: readonly string[],
  parameters: ScreenshotOptions = {},
): Promise<void> {
  expected = reporters;
  const renderer = createPuppeteerRenderer({
    targets: { allow: parseTargetList(`127.0.0.1:${site.port}`), ownHostnames: [] },
    resolver: { resolve: () => Promise.resolve(["127.0.0.1"]) },
    ...options,
  });
  onTestFinished(() => renderer.close());
  await renderer.render(screenshot(site.url("/"), parameters));
}

describe("the user agent of a local browser", () => {
  it("is Chrome's default without the word Headless, in the page, its frames and its workers", async () => {
    await render({}, EVERYWHERE);
    for (const { header, body } of Object.values(seen)) {
      expect(header).toMatch(CHROME);
      expect(JSON.parse(body)).toMatchObject({
        userAgent: header,
        appVersion: header.replace("Mozilla/", ""),
      });
    }
    expect(new Set(Object.values(seen).map(({ header }) => header)).size).toBe(1);
    expect(JSON.stringify([seen, hintsOfDocument])).not.toMatch(/headless/i);
    expect(hintsOfDocument).toEqual([""]);
  });

  it("can be set by the operator; its client hints stay blank", async () => {
    await render({ userAgent: BOT }, EVERYWHERE);
    for (const { header, body } of Object.values(seen)) {
      expect(header).toBe(BOT);
      expect(JSON.parse(body)).toMatchObject({ userAgent: BOT });
    }
    expect(JSON.parse(seen["page"]?.body ?? "")).toMatchObject({ hints: { brands: [] } });
    expect(JSON.stringify([seen, hintsOfDocument])).not.toMatch(/headless|chrom/i);
  });
});

describe("the user agent of a remote browser", () => {
  it("is the browser's default without the word Headless, with client hints that name Chrome", async () => {
    const { webSocketUrl } = await startRemoteBrowser();
    await render({ browserUrls: [webSocketUrl] }, PAGE_AND_FRAME);
    const reported = PAGE_AND_FRAME.flatMap((name) => seen[name] ?? []);
    for (const { header, body } of reported) {
      expect(header).toMatch(CHROME);
      expect(JSON.parse(body)).toMatchObject({ userAgent: header });
    }
    expect(hintsOfDocument).toEqual([expect.stringMatching(/^"Chromium";v="\d+", "Google Chrome";v="\d+"$/)]);
    expect(JSON.stringify([reported, hintsOfDocument])).not.toMatch(/headless/i);
  });

  it("does not change if a render sets a locale", async () => {
    const { webSocketUrl } = await startRemoteBrowser();
    await render({ browserUrls: [webSocketUrl], userAgent: BOT }, PAGE_AND_FRAME, { locale: "de-CH" });
    expect(seen["page"]).toMatchObject({ header: BOT, languages: "de-CH,de;q=0.9" });
    expect(seen["frame"]).toMatchObject({ header: BOT, languages: "de-CH,de;q=0.9" });
  });

  it("can be set by the operator, and then has no client hints", async () => {
    const { webSocketUrl } = await startRemoteBrowser();
    await render({ browserUrls: [webSocketUrl], userAgent: BOT }, PAGE_AND_FRAME);
    expect(seen["page"]?.header).toBe(BOT);
    expect(seen["frame"]?.header).toBe(BOT);
    expect(hintsOfDocument).toEqual([undefined]);
  });

  it("applies to shared workers if the browser's command line sets it", async () => {
    const { webSocketUrl } = await startRemoteBrowser({
      args: [`--user-agent=${BOT}`, "--enable-features=UACHOverrideBlank"],
    });
    await render({ browserUrls: [webSocketUrl], userAgent: BOT }, ["shared"]);
    expect(seen["shared"]?.header).toBe(BOT);
  });
});

describe("an invalid user agent", () => {
  it.each(["", " padded", "two\nlines", "é", "x".repeat(513)])("is rejected: %j", (userAgent) => {
    expect(() => createPuppeteerRenderer({ userAgent })).toThrow(
      new RangeError(
        "userAgent must be 1 to 512 printable ASCII characters, without leading or trailing spaces",
      ),
    );
  });
});
