// @module-tag browser

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { documentOf, folderDocument, serveFolder } from "./served-document.ts";
import { defaultScreenshot, failureOf, openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";

let folder: Site;
let site: Site;
let hidden: Site;
let renderer: Renderer;
/** The pages' reports to `/report`. */
let report = "";
/** The names that were looked up. */
const lookups: string[] = [];

const OTHER_ID = "f".repeat(64);

beforeAll(async () => {
  const paths =
    "index.html frame.html css/style.css css/blocks.ttf images/logo.svg images/dots.png js/draw.js js/color.js".split(
      " ",
    );
  folder = await openSite(
    Object.fromEntries(["/", ...paths.map((path) => `/${path}`)].map((path) => [path, serveFolder])),
  );
  hidden = await openSite({ "/": "a secret" });
  site = await openSite({
    "/": "<body style='background: #00f'>",
    "/report": (request, response) => {
      response.setHeader("access-control-allow-origin", "*");
      request.setEncoding("utf8").on("data", (text: string) => (report += text));
      request.on("end", () => response.end());
    },
    "/from-the-network.js": (_request, response) => response.end("reached = true"),
    "/reads": `<script>
      const read = (mode) => fetch("https://documents.snap.invalid/data.json", { mode })
        .then((response) => response.text()).then((text) => text || "nothing", () => "refused");
      Promise.all(["cors", "no-cors"].map(read)).then((seen) => parent.postMessage(seen.join(), "*"));
    </script>`,
    "/tries": (_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(hostilePage(site.url("/report")));
    },
  });
  renderer = openRenderer([folder.port, site.port], {
    resolver: {
      async resolve(name) {
        lookups.push(name);
        return ["127.0.0.1"];
      },
    },
  });
});

afterAll(async () => {
  await renderer.close();
  await Promise.all([folder, site, hidden].map((each) => each.close()));
});

/** Returns a page that is not a document, and tries every way to load one. */
function hostilePage(reportTo: string): string {
  const url = `https://documents.snap.invalid/${OTHER_ID}/`;
  return `<iframe src="${url}"></iframe><img src="${url}images/logo.svg"><link rel=stylesheet href="${url}css/style.css">
    <iframe src="http://documents.snap.invalid/"></iframe><iframe src="https://documents.snap.invalid:8443/"></iframe>
    <script type=module>
      const outcome = (work) => work.then(() => "reached", () => "refused");
      const socket = (url) => new Promise((resolve, reject) => {
        const opening = new WebSocket(url);
        opening.onopen = resolve;
        opening.onerror = reject;
      });
      const seen = await Promise.all([
        outcome(fetch("${url}", { mode: "no-cors" })),
        outcome(fetch("http://documents.snap.invalid/", { mode: "no-cors" })),
        outcome(fetch("https://documents.snap.invalid.:8443/", { mode: "no-cors" })),
        outcome(import("${url}js/draw.js")),
        outcome(socket("wss://documents.snap.invalid/")),
        outcome(socket("ws://documents.snap.invalid/")),
      ]);
      await fetch("${reportTo}", { method: "POST", body: seen.join() });
      document.title = "done";
    </script>`;
}

describe("a document", () => {
  it("looks the same as the files on a web server, pixel by pixel", async () => {
    const document = folderDocument();
    const [served, fetched] = await Promise.all([
      renderer.render(screenshot(document.url, { width: 400, height: 300 }), { document }),
      renderer.render(screenshot(folder.url("/"), { width: 400, height: 300 })),
    ]);
    expect(served.targetStatus).toBe(200);
    expect(Buffer.from(served.bytes).equals(fetched.bytes)).toBe(true);
    expect(new Set(document.readPaths)).toEqual(new Set(folder.requests.map(fileOf)));
    const { pixel } = readPng(served.bytes);
    // a block from the font, the logo, the frame and what the module draws
    for (const [x, y, color] of [
      [30, 80, [22, 121, 76, 255]],
      [50, 185, [192, 42, 42, 255]],
      [330, 200, [42, 79, 192, 255]],
      [50, 250, [208, 139, 0, 255]],
    ] as const)
      expect(pixel(x, y), `${x}, ${y}`).toEqual(color);
  });

  it("is printed", async () => {
    const document = folderDocument();
    const file = await renderer.render(pdf(document.url), { document });
    expect(Buffer.from(file.bytes).toString("latin1", 0, 5)).toBe("%PDF-");
    expect(file.targetStatus).toBeNull();
  });

  it("is a secure context, and serves its files to frames and workers like a web server", async () => {
    const document = documentOf({ ...EVERYTHING, "index.html": reportOf("everything.js", site) });
    report = "";
    await renderer.render(screenshot(document.url, { waitForFunction: "self.isDone" }), { document });
    expect(JSON.parse(report)).toEqual({
      secure: true,
      digest: "e3b0c442",
      folder: `${document.url}sub/`,
      itself: document.url,
      rootRelative: "data",
      encoded: "a b é",
      missing: 404,
      malformed: 404,
      foreign: 404,
      posted: 405,
      sent: "application/json no-store data",
      worker: "imported data",
      moduleWorker: "imported data",
      blobWorker: "data",
      sharedWorker: "data",
      serviceWorker: "registered",
      frame: `${document.url}sub/`,
      sandboxedFrame: `${document.url}sub/`,
      foreignFrame: "refused,nothing",
      network: true,
    });
    expect(document.readPaths.filter((path) => path.includes(".."))).toEqual([]);
  });

  it("can have pages in addition to its index, and responds to unknown paths with 404", async () => {
    const document = folderDocument();
    const options = { width: 200, height: 60 };
    const frame = await renderer.render(screenshot(`${document.url}frame.html`, options), { document });
    expect(frame.targetStatus).toBe(200);
    expect(readPng(frame.bytes).pixel(150, 30)).toEqual([42, 79, 192, 255]);
    const missing = await renderer.render(screenshot(`${document.url}none.html`, options), { document });
    expect(missing.targetStatus).toBe(404);
  });

  it("becomes idle once its files have arrived, whether or not a script reads them", async () => {
    const document = documentOf({
      "data.json": "data",
      "index.html":
        "<script>for (const path of ['data.json', 'none', '.', 'data.json']) fetch(path); fetch('data.json', { method: 'HEAD' })</script>",
    });
    const options = { waitUntil: "networkidle0" } as const;
    const file = await renderer.render(screenshot(document.url, options), { document });
    expect(file.notes).toEqual([]);
  });

  it("is subject to the blocking parameters", async () => {
    const document = folderDocument();
    const blocked = { blockResources: "image", blockUrls: "*/js/*" };
    const file = await renderer.render(screenshot(document.url, blocked), { document });
    expect(file.notes).toEqual(["blocked=4"]);
    expect(document.readPaths).not.toContain("images/logo.svg");
  });
});

describe("a document that navigates away", () => {
  it.each([
    ["by a refresh", (url: string) => `<meta http-equiv=refresh content="0; url=${url}">`],
    ["by a script", (url: string) => `<script>location = ${JSON.stringify(url)}</script>`],
  ])("%s is allowed or blocked depending on its destination", async (_how, leave) => {
    const leadTo = (url: string): ReturnType<Renderer["render"]> => {
      const document = documentOf({ "index.html": leave(url) });
      return renderer.render(screenshot(document.url), { document });
    };
    const allowed = await leadTo(site.url("/"));
    expect(readPng(allowed.bytes).pixel(0, 0)).toEqual([0, 0, 255, 255]);
    expect(await failureOf(leadTo(hidden.url("/")))).toMatchObject({ code: "blocked_host" });
    expect(await failureOf(leadTo(`http://documents.snap.invalid/${OTHER_ID}/`))).toEqual({
      code: "target_unreachable",
      message: "The page's host name could not be resolved.",
    });
    expect(hidden.requests).toEqual([]);
  });

  it("is stopped if it refreshes forever", async () => {
    const document = documentOf({ "index.html": '<meta http-equiv=refresh content="0"><p>text' });
    const file = await renderer.render(defaultScreenshot(document.url), { document });
    expect(file.notes).toEqual(["wait-capped"]);
    expect(document.readPaths.length).toBeLessThan(50);
  });

  it("cannot show a file on the machine", async () => {
    const document = documentOf({
      "index.html": `<body style="background: #0f0"><iframe src="file:///etc/passwd"></iframe>
        <meta http-equiv=refresh content="0; url=file:///etc/passwd"><script>location = "file:///etc/passwd"</script>`,
    });
    const file = await renderer.render(screenshot(document.url), { document });
    expect(readPng(file.bytes).pixel(1, 700)).toEqual([0, 255, 0, 255]);
  });
});

describe("a document whose files cannot be read", () => {
  it("fails with the storage's error, rather than return an image without them", async () => {
    const failure = new Error("the disk is gone");
    const document = documentOf({ "index.html": "<img src=logo.svg>" });
    const failing = {
      ...document,
      readFile: (path: string) => (path === "logo.svg" ? Promise.reject(failure) : document.readFile(path)),
    };
    await expect(renderer.render(screenshot(document.url), { document: failing })).rejects.toBe(failure);
  });
});

describe("a document whose files are not ready in time", () => {
  it("fails with render_timeout, and cancels their preparation", async () => {
    const bounded = openRenderer([], { renderTimeoutMs: 5_000 });
    await bounded.health(); // the browser must not take up the render's time
    const cancelled = Promise.withResolvers<void>();
    const document = {
      ...documentOf({}),
      readFile: (_path: string, signal?: AbortSignal) => {
        signal?.addEventListener("abort", () => cancelled.resolve());
        return new Promise<null>(() => {});
      },
    };
    const failure = await failureOf(bounded.render(screenshot(document.url), { document }));
    expect(failure.code).toBe("render_timeout");
    await cancelled.promise;
    await bounded.close();
  });
});

describe("a page that is not a document", () => {
  it("loads nothing from the document origin, and no resolver sees the attempt", async () => {
    report = "";
    lookups.length = 0;
    const url = site.url("/tries");
    await renderer.render(screenshot(url, { waitForFunction: 'document.title === "done"' }));
    expect(report).toBe("refused,refused,refused,refused,refused,refused");
    expect(lookups).toEqual([]);
  });

  it.each([
    "https://documents.snap.invalid/",
    "http://documents.snap.invalid/",
    "https://documents.snap.invalid:8443/",
  ])("is unreachable at %s", async (url) => {
    expect(await failureOf(renderer.render(screenshot(url)))).toEqual({
      code: "target_unreachable",
      message: "The page's host name could not be resolved.",
    });
  });
});

function fileOf(request: string): string {
  return request === "GET /" ? "index.html" : request.replace("GET /", "");
}

/** A page whose script reports to the site. */
function reportOf(script: string, { url }: Site): string {
  return `<!doctype html><script>
    const NETWORK = ${JSON.stringify(url("/"))};
    const finish = (seen) => fetch(NETWORK + "report", { method: "POST", body: JSON.stringify(seen) })
      .then(() => (self.isDone = true));
  </script><script type=module src="${script}"></script>`;
}

const EVERYTHING = {
  "data.json": "data",
  "a b é.txt": "a b é",
  "sub/index.html": "<script>parent.postMessage(location.href, '*')</script>",
  "library.js": "self.library = 'imported'",
  "module.js": "export const library = 'imported'",
  "worker.js":
    "importScripts('library.js'); fetch('data.json').then((r) => r.text()).then((text) => postMessage(`${library} ${text}`))",
  "module-worker.js":
    "import { library } from './module.js'; fetch('data.json').then((r) => r.text()).then((text) => postMessage(`${library} ${text}`))",
  "shared-worker.js":
    "onconnect = ({ ports: [port] }) => fetch('data.json').then((r) => r.text()).then((text) => port.postMessage(text))",
  "service-worker.js": "addEventListener('fetch', () => {})",
  "everything.js": `
    const message = (source) => new Promise((resolve) => (source.onmessage = ({ data }) => resolve(data)));
    const text = (url) => fetch(url).then((response) => response.text());
    const status = (url, options) => fetch(url, options).then((response) => response.status);
    const frame = (properties) => new Promise((resolve) => {
      const added = Object.assign(document.createElement("iframe"), properties);
      addEventListener("message", ({ source, data }) => source === added.contentWindow && resolve(data));
      document.body.append(added);
    });
    const sent = async () => {
      const { headers } = await fetch("data.json");
      return [headers.get("content-type"), headers.get("cache-control"), await text("data.json")].join(" ");
    };
    const digest = async () => new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array())).toHex().slice(0, 8);
    const network = () => new Promise((resolve) => {
      const script = Object.assign(document.createElement("script"), { src: NETWORK + "from-the-network.js" });
      script.onload = () => resolve(self.reached === true);
      script.onerror = () => resolve(false);
      document.body.append(script);
    });
    const blob = URL.createObjectURL(new Blob(["fetch('" + new URL("data.json", location) + "').then((r) => r.text()).then(postMessage)"]));
    const results = {
      secure: isSecureContext,
      digest: digest(),
      folder: fetch("sub").then(({ url }) => url),
      itself: fetch(location.pathname.slice(0, -1)).then(({ url }) => url),
      rootRelative: text("/data.json"),
      encoded: text("a%20b%20%C3%A9.txt"),
      missing: status("missing"),
      malformed: status("%ff"),
      foreign: status("/${OTHER_ID}/data.json"),
      posted: status("data.json", { method: "POST" }),
      sent: sent(),
      worker: message(new Worker("worker.js")),
      moduleWorker: message(new Worker("module-worker.js", { type: "module" })),
      blobWorker: message(new Worker(blob)),
      sharedWorker: message(new SharedWorker("shared-worker.js").port),
      serviceWorker: navigator.serviceWorker.register("service-worker.js").then(() => "registered", String),
      frame: frame({ src: "sub/" }),
      sandboxedFrame: frame({ src: "sub/", sandbox: "allow-scripts" }),
      foreignFrame: frame({ src: NETWORK + "reads" }),
      network: network(),
    };
    const entries = Object.entries(results).map(async ([name, result]) => [name, await result]);
    finish(Object.fromEntries(await Promise.all(entries)));`,
};
