// @module-tag browser

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NetworkActivity } from "../../src/puppeteer/page/network-activity.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { readPng } from "./image.ts";
import { allowBothSites, defaultScreenshot, openRenderer, screenshot } from "./setup.ts";
import { openSite, redirect, type Site } from "./site.ts";

const RED = [255, 0, 0, 255];
const WHITE = [255, 255, 255, 255];

const page = (script: string, head = ""): string =>
  `<!doctype html>${head}<body><script>
     const redden = () => { document.body.style.background = "red" };
     const worker = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
     ${script}
   </script>`;

/** Each page turns red when its last request completes, which takes longer than half a second. */
const AWAITED_PAGES: Readonly<Record<string, string>> = {
  "a fetch": page("fetch('/slow').then(redden)"),
  "the body of a fetch": page("fetch('/slow-body').then((response) => response.text()).then(redden)"),
  "the target of redirects": page("fetch('/redirect').then(redden)"),
  "a request that follows another": page("fetch('/slow').then(() => fetch('/slow?2')).then(redden)"),
  "a request that starts just before the network is idle": page(
    "setTimeout(() => fetch('/slow').then(redden), 350)",
  ),
  "an image": page("Object.assign(new Image(), { src: '/slow-image', onload: redden })"),
  "a script that is added dynamically": page(
    "document.head.append(Object.assign(document.createElement('script'), { src: '/slow-script' }))",
  ),
  "a preload": page("", "<link rel=preload as=fetch href=/slow onload=redden() crossorigin>"),
  "a request with a preflight": page(
    "fetch(location.href.replace('127.0.0.1', 'localhost').replace(/[^/]*$/, 'slow'), { headers: { 'x-a': '1' } }).then(redden)",
  ),
  "a frame": page("onmessage = redden", "<iframe src=/inner></iframe>"),
  "a frame from another site": page(
    `onmessage = redden;
     const frame = document.createElement("iframe");
     frame.src = location.href.replace("127.0.0.1", "localhost").replace(/[^/]*$/, "inner");
     document.body.append(frame)`,
  ),
  "a worker": page(
    "new Worker(worker(`fetch('${location.origin}/slow').then(() => postMessage(1))`)).onmessage = redden",
  ),
  "a worker's script": page("new Worker('/slow-worker').onmessage = redden"),
  // on a busy machine, the inner worker may take longer to start than the network must be idle
  "a nested worker": page(
    `const started = new AbortController();
     fetch("/hangs", started).catch(() => {});
     const inner = worker(\`fetch("\${location.origin}/slow").then(() => postMessage("done")); postMessage("started")\`);
     const outer = worker(\`new Worker("\${inner}").onmessage = ({ data }) => postMessage(data)\`);
     new Worker(outer).onmessage = ({ data }) => data === "done" ? redden() : started.abort()`,
  ),
  "a shared worker": page("new SharedWorker('/shared-worker').port.onmessage = redden"),
  "a service worker": page(
    `navigator.serviceWorker.onmessage = redden;
     navigator.serviceWorker.register("/service-worker")`,
  ),
  "a request that a service worker handles": page(
    `navigator.serviceWorker.register("/answering-worker").then(() => navigator.serviceWorker.ready);
     navigator.serviceWorker.oncontrollerchange = () => fetch("/answered").then(redden)`,
  ),
  "the handshake of a WebSocket": page(
    "new WebSocket('ws://' + location.host + '/slow-socket').onopen = redden",
  ),
  "the start of an event stream": page("new EventSource('/slow-events').onopen = redden"),
  "the page that a script navigates to": page("setTimeout(() => { location = '/red-late' }, 300)"),
};

/** None of these keeps the network busy. A render that waited for it would time out. */
const NOT_AWAITED_PAGES: Readonly<Record<string, string>> = {
  "a fetch that was aborted": page(
    "const gone = new AbortController(); fetch('/hangs', { signal: gone.signal }).catch(() => {});" +
      "setTimeout(() => gone.abort(), 100)",
  ),
  "a fetch whose body is not read": page("fetch('/small')"),
  "an uncacheable fetch whose body is not read": page(
    "fetch('/not-stored'); fetch('/not-stored', { method: 'POST', body: 'x' })",
  ),
  "a beacon": page("navigator.sendBeacon('/small', 'x')"),
  "an image whose connection is refused": page("new Image().src = 'http://127.0.0.1:1/x.png'"),
  "an image that the Content-Security-Policy blocks": page(
    "new Image().src = '/hangs'",
    `<meta http-equiv=Content-Security-Policy content="img-src 'none'">`,
  ),
  "an image that comes from the cache": page(
    "const load = (then) => Object.assign(new Image(), { src: '/small-image', onload: then });" +
      "load(() => load(() => load(() => {})))",
  ),
  "an open WebSocket": page("new WebSocket('ws://' + location.host + '/socket')"),
  "an open event stream": page("new EventSource('/events')"),
  "an open event stream that fetch reads": page(
    "fetch('/events').then((response) => response.body.getReader().read())",
  ),
  "an image that is a stream": page("", "<img src=/camera>"),
  "a video": page("", "<video src=/video preload=auto></video>"),
  "a frame that shows a video": page("", "<iframe src=/video></iframe>"),
  "a frame that was removed": page(
    "const frame = Object.assign(document.createElement('iframe'), { src: '/hangs' });" +
      "document.body.append(frame); setTimeout(() => frame.remove(), 100)",
  ),
  "a frame from another site that was removed": page(
    "const frame = document.createElement('iframe');" +
      "frame.src = location.href.replace('127.0.0.1', 'localhost').replace(/[^/]*$/, 'inner-hangs');" +
      "document.body.append(frame); onmessage = () => frame.remove()",
  ),
  "a frame that navigates": page("", "<iframe src=/inner-moves></iframe>"),
  "a frame that returns 204": page("", "<iframe src=/nothing></iframe>"),
  "a frame that starts a download": page("", "<iframe src=/download></iframe>"),
  "a worker that was terminated": page(
    "const busy = new Worker(worker(`fetch('${location.origin}/hangs'); postMessage(1)`));" +
      "busy.onmessage = () => busy.terminate()",
  ),
  "the frames of a previous document": page(
    "document.body.append(Object.assign(document.createElement('iframe'), { src: '/inner-hangs' }));" +
      "onmessage = () => { location = '/blank' }",
  ),
  "the WebSockets of a previous document": page(
    "new WebSocket('ws://' + location.host + '/hanging-socket'); setTimeout(() => { location = '/blank' }, 100)",
  ),
  "the shared worker of a previous document": page(
    "new SharedWorker('/busy-shared-worker').port.onmessage = () => { location = '/blank' }",
  ),
  "a shared worker that ended": page("new SharedWorker('/ending-shared-worker')"),
  "workers that are terminated before they start": page(
    "for (let i = 0; i < 50; i += 1) new Worker(worker('')).terminate()",
  ),
  "a fragment that changes continuously": page(
    "let i = 0; setInterval(() => { location.hash = i += 1 }, 100)",
  ),
  "requests of a previous document": page(
    "fetch('/hangs'); fetch('/hangs?2'); fetch('/hangs?3'); setTimeout(() => { location = '/blank' }, 100)",
  ),
  "data and blob URLs": page("fetch('data:,x').then(() => fetch(URL.createObjectURL(new Blob(['x']))))"),
};

const SLOW_MS = 900;
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let site: Site;
let renderer: Renderer;
/** A renderer with the default navigation timeout. */
let patientRenderer: Renderer;

beforeAll(async () => {
  type Handler = (request: IncomingMessage, response: ServerResponse) => void;
  const respond =
    (type: string, body: string | Buffer, delayMs = 0): Handler =>
    (_request, response) => {
      response.writeHead(200, {
        "content-type": type,
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "*",
        "cache-control": "max-age=60",
      });
      setTimeout(() => response.end(body), delayMs);
      if (delayMs === 0) response.flushHeaders();
    };
  const slowHead =
    (type: string, then: (response: ServerResponse) => void): Handler =>
    (_request, response) => {
      setTimeout(() => {
        response.writeHead(200, {
          "content-type": type,
          "access-control-allow-origin": "*",
          "access-control-allow-headers": "*",
        });
        then(response);
      }, SLOW_MS);
    };
  const script = "text/javascript";
  const notifyParent = "parent.postMessage(1, '*')";
  site = await openSite(
    {
      ...Object.fromEntries(
        Object.entries({ ...AWAITED_PAGES, ...NOT_AWAITED_PAGES }).map(([name, html]) => [
          pathOf(name),
          html,
        ]),
      ),
      "/slow": slowHead("text/plain", (response) => response.end("slow")),
      "/slow-body": respond("text/plain", "slow", SLOW_MS),
      "/slow-image": slowHead("image/png", (response) => response.end(PIXEL)),
      "/slow-script": slowHead(script, (response) => response.end("redden()")),
      "/slow-worker": slowHead(script, (response) => response.end("postMessage(1)")),
      "/shared-worker": respond(
        script,
        "onconnect = ({ ports: [port] }) => fetch('/slow').then(() => port.postMessage(1))",
      ),
      "/busy-shared-worker": respond(
        script,
        "fetch('/hangs'); onconnect = ({ ports: [port] }) => port.postMessage(1)",
      ),
      "/ending-shared-worker": respond(script, "fetch('/hangs'); setTimeout(close, 100)"),
      "/service-worker": respond(
        script,
        `oninstall = (event) => event.waitUntil(fetch("/slow"));
         onactivate = (event) => event.waitUntil(clients.claim().then(() => clients.matchAll())
           .then((pages) => pages.forEach((page) => page.postMessage(1))))`,
      ),
      "/answering-worker": respond(
        script,
        `oninstall = () => skipWaiting();
         onactivate = (event) => event.waitUntil(clients.claim());
         onfetch = (event) => event.respondWith(fetch("/slow"))`,
      ),
      "/redirect": redirect("/redirect-2"),
      "/redirect-2": redirect("/slow"),
      "/inner": `<script>fetch("/slow").then(() => ${notifyParent})</script>`,
      "/inner-hangs": `<script>fetch("/hangs"); ${notifyParent}</script>`,
      "/inner-moves": "<script>fetch('/hangs'); setTimeout(() => { location = '/blank' }, 50)</script>",
      "/red-late": page("fetch('/slow').then(redden)"),
      "/blank": "<h1>here</h1>",
      "/small": respond("text/plain", "small"),
      "/not-stored": (_request, response) =>
        response.writeHead(200, { "cache-control": "no-store", "content-length": 5 }).end("small"),
      "/camera": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "multipart/x-mixed-replace; boundary=b" })
          .write(
            Buffer.concat([
              Buffer.from("--b\r\ncontent-type: image/png\r\n\r\n"),
              PIXEL,
              Buffer.from("\r\n--b\r\n"),
            ]),
          ),
      "/small-image": respond("image/png", PIXEL),
      "/events": (_request, response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n"),
      "/slow-events": slowHead("text/event-stream", (response) => response.write(":\n\n")),
      "/video": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "video/mp4", "content-length": "99999999" })
          .write("x"),
      "/nothing": (_request, response) => response.writeHead(204).end(),
      "/download": (_request, response) =>
        response.writeHead(200, { "content-disposition": "attachment" }).end("x"),
      "/hangs": () => {},
      "/every-400-ms": page(
        "setInterval(() => fetch('/slow?' + performance.now()), 400); for (let i = 0; i < 2; i += 1) fetch('/hangs?' + i)",
      ),
      "/every-700-ms": page(
        `let turn = 0;
         const load = () => { for (let i = 0; i < 3; i += 1) fetch("/small?" + Math.random()); turn += 1; if (turn === 5) redden() };
         setInterval(load, 700)`,
      ),
      "/busy": page(
        "fetch('/small').then(() => { const end = performance.now() + 1500; while (performance.now() < end); return fetch('/slow') }).then(redden)",
      ),
      "/many": page(
        "let left = 10_000; const load = () => { if ((left -= 1) > 0) fetch('data:,' + left).then(load); else redden() }; for (let i = 0; i < 500; i += 1) load()",
      ),
      // its network is idle only after more workers have run than are followed
      "/workers": page(
        `const quiet = new AbortController();
         for (let i = 0; i < 3; i += 1) fetch("/hangs?" + i, quiet).catch(() => {});
         const idle = worker("postMessage(0); close()");
         let ran = 0;
         for (let i = 0; i < 120; i += 1) new Worker(idle).onmessage = () => { if ((ran += 1) > 100) quiet.abort() };`,
      ),
      "/busy-when-idle": page(
        `const load = () => { for (let i = 0; i < 3; i += 1) fetch("/small?" + Math.random()) };
         const spin = () => { for (const end = performance.now() + 350; performance.now() < end; ); };
         const round = () => setTimeout(() => { spin(); load(); round() }, 420);
         load(); round()`,
      ),
      "/flood": page("onload = () => { for (let i = 0; i < 10_100; i += 1) fetch('/hangs?' + i) }"),
    },
    { onUpgrade: acceptWebSocket },
  );
  const targets = allowBothSites(site.port);
  renderer = openRenderer([], { targets, navigationTimeoutMs: 8_000 });
  patientRenderer = openRenderer([], { targets });
});

afterAll(async () => {
  await Promise.all([renderer.close(), patientRenderer.close()]);
  await site.close();
});

const pathOf = (name: string): string => `/case-${createHash("sha1").update(name).digest("hex").slice(0, 8)}`;

async function pixelOf(path: string, waitUntil: "networkidle0" | "networkidle2"): Promise<number[]> {
  const { bytes } = await renderer.render(screenshot(site.url(path), { waitUntil }));
  return readPng(bytes).pixel(1000, 700);
}

async function notesOf(path: string): Promise<readonly string[]> {
  return (await patientRenderer.render(defaultScreenshot(site.url(path)))).notes;
}

describe("NetworkActivity", () => {
  const request = (requestId: number) =>
    ({ requestId: `${requestId}`, loaderId: "1", type: "Fetch", request: { url: "" } }) as never;

  it("retains nothing from a hundred thousand finished requests", () => {
    const activity = new NetworkActivity({ connectionsMax: 0, countsWorkers: true, onIdle: () => {} });
    for (let id = 0; id < 100_000; id += 1) {
      activity.begin("page", request(id));
      activity.end({ requestId: `${id}` });
    }
    expect([...activity.requestIds]).toEqual([]);
    expect(activity.isWithinLimit).toBe(true);
  });

  it("retains only the pending document of an out-of-process frame that moves to another process", () => {
    const activity = new NetworkActivity({ connectionsMax: 0, countsWorkers: true, onIdle: () => {} });
    const sent = (requestId: string, type: string, frameId: string) =>
      ({ requestId, frameId, loaderId: requestId, type, request: { url: "" } }) as never;
    activity.begin("frame's", sent("next", "Document", "frame"));
    activity.begin("frame's", sent("inner", "Document", "inner"));
    activity.begin("frame's", sent("1.1", "Fetch", "frame"));
    activity.dropSession("frame's", "frame");
    expect([...activity.requestIds]).toEqual(["next"]);
    activity.end({ requestId: "next" });
    expect([...activity.requestIds]).toEqual([]);
  });

  it("counts at most ten thousand concurrent requests, and then treats the page as busy", () => {
    const activity = new NetworkActivity({ connectionsMax: 2, countsWorkers: true, onIdle: () => {} });
    for (let id = 0; id < 100_000; id += 1) activity.begin("page", request(id));
    expect([...activity.requestIds]).toHaveLength(10_000);
    for (let id = 0; id < 100_000; id += 1) activity.end({ requestId: `${id}` });
    expect(activity.isWithinLimit).toBe(false);
  });
});

describe.concurrent("a render that waits for an idle network", () => {
  it.each(Object.keys(AWAITED_PAGES))("waits for %s", async (name) => {
    expect(await pixelOf(pathOf(name), "networkidle0")).toEqual(RED);
  });

  it.each(Object.keys(NOT_AWAITED_PAGES))("does not wait for %s", async (name) => {
    expect(await pixelOf(pathOf(name), "networkidle0")).toEqual(WHITE);
  });

  it("waits for requests that follow a long-running script", async () => {
    expect(await pixelOf("/busy", "networkidle0")).toEqual(RED);
  });

  it.each([
    ["a request every 400 ms", "/every-400-ms"],
    ["new requests after each idle half second", "/busy-when-idle"],
  ])("by default, captures a page 10 s after load if it has %s", async (_name, path) => {
    expect(await notesOf(path)).toEqual(["wait-capped"]);
  });
});

// not concurrently: each keeps a core busy
describe("a network that is too busy to follow", () => {
  it.each([
    ["more open requests than are counted", "/flood"],
    ["more workers than are followed", "/workers"],
  ])("does not prevent the capture of a page with %s, by default", async (_name, path) => {
    expect(await notesOf(path)).toEqual(["wait-capped"]);
  });
});

describe("a page with sequential requests", () => {
  it("is captured in the first gap if requests start every 700 ms", async () => {
    const { bytes, notes } = await renderer.render(defaultScreenshot(site.url("/every-700-ms")));
    expect(readPng(bytes).pixel(1000, 700)).toEqual(WHITE);
    expect(notes).toEqual([]);
  });

  it("is captured after ten thousand requests", async () => {
    const { bytes } = await patientRenderer.render(
      screenshot(site.url("/many"), { waitUntil: "networkidle0" }),
    );
    expect(readPng(bytes).pixel(1000, 700)).toEqual(RED);
  });
});

/** Completes the handshake (RFC 6455, 4.2.2); `/slow-socket` delays it, `/hanging-socket` never completes. */
function acceptWebSocket(request: IncomingMessage, socket: Duplex): void {
  const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  const delayMs = request.url === "/slow-socket" ? SLOW_MS : 0;
  socket.on("error", () => {});
  if (request.url === "/hanging-socket") return;
  setTimeout(() => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
  }, delayMs);
}
