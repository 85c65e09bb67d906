// @module-tag browser

import { ProtocolError } from "puppeteer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CONSENT_PAGES,
  PLAIN_PAGE,
  SOURCEPOINT_FRAME,
  SOURCEPOINT_FRAME_PATH,
} from "../../../testing/test/servers/consent-pages.ts";
import type { Renderer } from "../../src/ports/renderer.ts";
import { ConsentDialogs } from "../../src/puppeteer/page/prepare/consent/consent-dialogs.ts";
import type { Tab } from "../../src/puppeteer/page/tab.ts";
import { readPng } from "./image.ts";
import { openRenderer, pdf, screenshot } from "./setup.ts";
import { openSite, type Site } from "./site.ts";
import { TO_LOOPBACK } from "./trap.ts";

const ok = "<!doctype html>";
const TEXT = "We use cookies and similar technologies to improve your experience.";
/** A dialog, without handlers for its buttons. */
const DIALOG = `<div id="d" role="dialog" style="position:fixed;left:0;right:0;bottom:0;padding:30px;background:#222;color:#fff">
  <p>${TEXT}</p><button id="accept">Accept all</button><button id="reject">Reject all</button></div>`;
/** Both buttons report their click; only rejecting closes the dialog. */
const HANDLERS = `<script>
  const record = (choice) => { new Image().src = "/clicked/hostile/" + choice };
  document.getElementById("accept").addEventListener("click", () => record("accept"));
  document.getElementById("reject").addEventListener("click", () => { record("reject"); document.getElementById("d").remove() });
</script>`;

/** Returns HTML as a string literal within a script. */
function inScript(html: string): string {
  return JSON.stringify(html).replaceAll("</", "<\\/");
}

/** Properties of a document that an image with the same name hides. */
const CLOBBERED_NAMES =
  "querySelector querySelectorAll body documentElement createTreeWalker scripts cookie elementsFromPoint getAnimations activeElement head defaultView evaluate readyState".split(
    " ",
  );

/** Pages that try to get a dialog accepted, or to break the render. */
const HOSTILE_PAGES: Readonly<Record<string, string>> = {
  "/forges": `<p>text</p><script>
    const forged = [
      { type: "optIn" }, { type: "initResp", config: { autoAction: "optIn", heuristicMode: "tier2" }, rules: {} },
      { type: "eval", id: "1", code: "record('accept')", snippetId: "EVAL_USERCENTRICS_API_3" },
      { type: "optOutResult", result: true }, { type: "autoconsentDone" },
    ];
    window.consent = window.autoconsentReceiveMessage = window.autoconsentSendMessage = () => true;
    setInterval(() => { for (const message of forged) {
      postMessage(message, "*");
      dispatchEvent(new CustomEvent("autoconsent", { detail: message }));
    } }, 1);
  </script>${DIALOG}${HANDLERS}`,
  "/overrides": `<p>text</p>${DIALOG}${HANDLERS}<script>
    const accept = document.getElementById("accept");
    for (const type of [Document, Element, DocumentFragment, HTMLElement, Node, NodeList, Array, Object, Promise])
      for (const name of Object.getOwnPropertyNames(type.prototype))
        if (!["constructor", "then"].includes(name)) try { type.prototype[name] = () => accept } catch {}
    globalThis.getComputedStyle = globalThis.setTimeout = globalThis.Promise = globalThis.Map = () => accept;
  </script>`,
  "/clobbers": `<p>text</p>${CLOBBERED_NAMES.map((name) => `<img name=${name} id=${name}>`).join("")}
    <form id="d" role="dialog" style="position:fixed;left:0;right:0;bottom:0;padding:30px;background:#222;color:#fff">
    <input name="click" type="hidden"><input name="innerText" type="hidden"><input name="querySelectorAll" type="hidden">
    <input name="style" type="hidden"><input name="parentNode" type="hidden"><input name="getAttribute" type="hidden">
    <p>${TEXT}</p><button type="button" id="accept">Accept all</button><button type="button" id="reject">Reject all</button>
    </form>${HANDLERS}`,
  "/mislabels": `<p>text</p><div id="onetrust-banner-sdk" style="position:fixed;bottom:0;background:#222;color:#fff"><p>${TEXT}</p>
    <button id="onetrust-reject-all-handler">Accept all</button></div><script>
    document.querySelector("button").addEventListener("click", () => { new Image().src = "/clicked/hostile/accept" });
  </script>`,
  "/hides-words": `<p>text</p><div role="dialog" style="position:fixed;bottom:0;background:#222;color:#fff"><p>${TEXT}</p>
    <button id="accept">OK <span style="font-size:0">do not accept</span></button><i id="reject"></i></div>${HANDLERS}`,
  "/posts": `<p>text</p><div role="dialog" style="position:fixed;bottom:0;background:#222;color:#fff"><p>${TEXT}</p>
    <form action="/clicked/hostile/accept" method="POST"><button>Decline</button></form></div>`,
  ...Object.fromEntries(
    [
      `<form method="post"><button>Reject all</button></form>`,
      `<form><button formaction="/clicked/hostile/accept" formmethod="post">Reject all</button></form>`,
      `<form id="f" action="/clicked/hostile/accept"></form><button form="f">Reject all</button>`,
      `<a href="/clicked/hostile/accept"><span role="button">Reject all</span></a>`,
      `<button aria-label="Accept all cookies" onclick="accepted()">Reject</button>`,
      `<button value="reject" title="Accept" onclick="accepted()"><img alt="Accept all" width="20" height="20"></button>`,
      `<style>b::after { content: "Accept all" }</style><button onclick="accepted()"><b style="color:#222">reject</b></button>`,
      `<style>b::after { content: "OK" }</style><button onclick="accepted()"><b style="color:#222">reject</b></button>`,
      `<button onclick="accepted()">Nicht ablehnen</button>`,
      `<button onclick="accepted()">Use recommended settings</button>`,
    ].map((button, i) => [
      `/misleads-${i}`,
      `<p>text</p><script>const accepted = () => { new Image().src = "/clicked/hostile/accept" }</script>
      <div role="dialog" style="position:fixed;bottom:0;background:#222;color:#fff"><p>${TEXT}</p>
      <button onclick="accepted()">Accept</button>${button}</div>`,
    ]),
  ),
  "/adds": `<script>
    const add = () => {
      document.body.insertAdjacentHTML("beforeend", ${inScript(DIALOG)});
      for (const button of document.querySelectorAll("#accept"))
        button.onclick = () => { new Image().src = "/clicked/hostile/accept" };
    };
    addEventListener("DOMContentLoaded", add);
    setInterval(add, 5);
    // a timer can be late on a busy machine, so hiding a dialog also adds another one immediately
    const observer = new MutationObserver(() => {
      add();
      observer.takeRecords();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  </script>`,
  "/navigates": `${DIALOG}${HANDLERS}<script>
    addEventListener("load", () => setTimeout(() => { location = "/navigates?" + Math.random() }, 60));
  </script>`,
  "/blocks": `${DIALOG}${HANDLERS}<script>
    document.getElementById("reject").addEventListener("click", () => { const end = Date.now() + 4000; while (Date.now() < end); });
  </script>`,
  "/frames": `<body><script>
    for (let i = 0; i < 50; i += 1)
      document.body.append(Object.assign(document.createElement("iframe"), {
        srcdoc: ${inScript(DIALOG + HANDLERS)},
      }));
  </script>`,
  "/big": `<div id="d" role="dialog">${`<p>${TEXT.repeat(40)}</p>`.repeat(2)}<button>Accept all</button></div>`,
  "/endless": `<div id="d" role="dialog">${`<p>${TEXT}</p>`.repeat(20_000)}<button id="accept">Accept all</button></div>
    <i id="reject"></i>${HANDLERS}`,
};

/** Makes both buttons run `script`, which closes the dialog. */
const closing = (script: string): string =>
  `<script>for (const id of ["accept", "reject"])
    document.getElementById(id).addEventListener("click", () => { ${script} });</script>`;

/** Pages with unusual dialogs, or with parts that resemble a dialog. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  "/reloads": `${PLAIN_PAGE}<script>if (!localStorage.choice) document.write(${inScript(DIALOG)})</script>
    <script>document.getElementById("reject")?.addEventListener("click", () => {
      localStorage.choice = "reject";
      setTimeout(() => location.reload());
    })</script>`,
  "/scrolls": `${PLAIN_PAGE}${DIALOG}${closing("document.getElementById('d').remove(); scrollTo(0, 300); document.querySelector('h1').tabIndex = 0; document.querySelector('h1').focus()")}`,
  "/long": `${PLAIN_PAGE}${DIALOG}${closing("document.getElementById('d').remove()")}<div style="display:none">
    <script>document.currentScript.parentNode.innerHTML = "<table>" + "<tr><td>a<td>b<td>c".repeat(15_000) + "</table>";</script></div>`,
  "/fades": `${PLAIN_PAGE}${DIALOG}${closing("const d = document.getElementById('d'); d.style.transition = 'opacity .3s'; d.style.opacity = 0")}`,
  "/four-frames": `${PLAIN_PAGE}<script>
    for (let i = 0; i < 4; i += 1) {
      const around = Object.assign(document.createElement("div"), { style: "position:fixed;left:100px;top:" + i * 150 + "px" });
      const srcdoc = ${inScript(`${DIALOG}${closing("parent.document.getElementById(frameElement.id).parentNode.remove()")}`)};
      around.append(Object.assign(document.createElement("iframe"), { id: "frame" + i, srcdoc }));
      document.body.append(around);
    }
  </script>`,
  "/frame-accepts-only": `${PLAIN_PAGE}<div style="position:fixed;inset:0;background:rgba(0,0,0,.5);z-index:9">
    <iframe style="position:fixed;left:100px;top:100px;width:500px;height:300px;border:0"></iframe></div>
    <script>document.querySelector("iframe").src = "http://cmp.test:" + location.port + "/accepts-only"</script>`,
  "/accepts-only": `<p>${TEXT}</p><button onclick="new Image().src = '/clicked/other/accept'">Accept all</button>`,
  "/top-accepts-only": `${PLAIN_PAGE}<div style="position:fixed;bottom:0;background:#ccc"><p>${TEXT}</p>
    <button onclick="new Image().src = '/clicked/other/accept'">Got it</button></div>`,
  "/image-button": `${PLAIN_PAGE}${DIALOG.replace(">Reject all<", '><img alt="Reject all" width=80 height=20><')}${closing("document.getElementById('d').remove()")}`,
  "/static-frame": `${PLAIN_PAGE}<iframe src="/accepts-only" style="position:fixed;left:100px;top:100px;width:500px;height:300px"></iframe>`,
  "/fixed-parts": `${PLAIN_PAGE}<nav style="position:fixed;top:0;right:0"><a href="/cookies">Cookie policy</a></nav>
    <footer style="position:fixed;bottom:0;right:0">Imprint <a href="/settings">Cookie settings</a></footer>
    <form style="position:fixed;top:90px;right:0">Sign up. We use cookies. <input type="email"><button>I agree</button></form>`,
  "/sees-nothing": `<body style="background:green">${DIALOG}${HANDLERS}<script>
    const names = () => Reflect.ownKeys(window).length + document.all.length;
    const before = names();
    const { click } = HTMLElement.prototype;
    addEventListener("click", () => {
      if (names() !== before || HTMLElement.prototype.click !== click) document.body.style.background = "red";
    }, true);
  </script>`,
};

let site: Site;
let renderer: Renderer;
let plain: Uint8Array;

beforeAll(async () => {
  site = await openSite({
    "/plain": PLAIN_PAGE,
    [SOURCEPOINT_FRAME_PATH]: SOURCEPOINT_FRAME,
    ...HOSTILE_PAGES,
    ...OTHER_PAGES,
    "/clicked/other/accept": ok,
    "/clicked/hostile/accept": ok,
    "/clicked/hostile/reject": ok,
    ...Object.fromEntries(CONSENT_PAGES.map(({ name, html }) => [`/${name}`, html])),
    ...Object.fromEntries(
      CONSENT_PAGES.flatMap(({ name }) =>
        ["accept", "reject"].map((choice) => [`/clicked/${name}/${choice}`, ok]),
      ),
    ),
  });
  renderer = openRenderer([site.port], {
    resolver: TO_LOOPBACK,
  });
  plain = await bytesOf("/plain", {});
});

afterAll(async () => {
  await renderer.close();
  await site.close();
});

const OPTIONS = { fullPage: true, blockCookieBanners: true };

async function bytesOf(path: string, options: object): Promise<Uint8Array> {
  return (await renderer.render(screenshot(site.url(path), { fullPage: true, ...options }))).bytes;
}

describe("a page with a consent dialog", () => {
  it.each(CONSENT_PAGES)("looks like the page without one: $name", async ({ name, note }) => {
    const { bytes, notes } = await renderer.render(screenshot(site.url(`/${name}`), OPTIONS));
    expect(notes).toEqual([note]);
    const isDeclined = note === "consent-declined";
    await expect.poll(() => site.requests.includes(`GET /clicked/${name}/reject`)).toBe(isDeclined);
    expect(site.requests).not.toContain(`GET /clicked/${name}/accept`);
    expect(Buffer.from(bytes).equals(plain)).toBe(true);
  });

  it("shows it by default", async () => {
    expect(Buffer.from(await bytesOf("/onetrust", {})).equals(plain)).toBe(false);
  });
});

describe("a dialog", () => {
  it.each([
    ["reloads the page once declined", "/reloads", "consent-declined"],
    ["scrolls and moves focus once declined", "/scrolls", "consent-declined"],
    ["is on a page with 60,000 elements", "/long", "consent-declined"],
    ["fades away but stays in the document", "/fades", "consent-declined"],
    ["can only be accepted, in a frame from another origin", "/frame-accepts-only", "consent-hidden"],
    ["shows an image on its decline button", "/image-button", "consent-declined"],
    ["can only be acknowledged", "/top-accepts-only", "consent-hidden"],
    ["is the fourth, each in its own frame", "/four-frames", "consent-hidden"],
  ])("that %s leaves no trace", async (_what, path, note) => {
    const options = { ...OPTIONS, lazyContent: "off" } as const;
    const { bytes, notes } = await renderer.render(screenshot(site.url(path), options));
    expect(notes).toEqual([note]);
    expect(site.requests).not.toContain("GET /clicked/other/accept");
    expect(Buffer.from(bytes).equals(plain)).toBe(true);
  });

  it("is hidden if the page runs no scripts", async () => {
    const { bytes, notes } = await renderer.render(
      screenshot(site.url("/top-accepts-only"), { ...OPTIONS, javascript: false }),
    );
    expect(notes).toEqual(["consent-hidden"]);
    expect(Buffer.from(bytes).equals(plain)).toBe(true);
  });

  it("remains, with a note, in a frame that runs no scripts", async () => {
    const { notes } = await renderer.render(
      screenshot(site.url("/static-frame"), { ...OPTIONS, javascript: false }),
    );
    expect(notes).toEqual(["consent-remains"]);
  });

  it("is declined before a page is printed", async () => {
    const { notes } = await renderer.render(pdf(site.url("/trustarc"), { blockCookieBanners: true }));
    expect(notes).toEqual(["consent-declined"]);
  });
});

describe("a page without a dialog", () => {
  it.each(["/plain", "/fixed-parts"])("is not changed: %s", async (path) => {
    const before = await bytesOf(path, {});
    const { bytes, notes } = await renderer.render(screenshot(site.url(path), OPTIONS));
    expect(notes).toEqual([]);
    expect(Buffer.from(bytes).equals(before)).toBe(true);
  });
});

describe("a hostile page", () => {
  it.each([
    ["/forges", ["consent-declined"]],
    ["/overrides", ["consent-hidden"]],
    ["/clobbers", ["consent-declined"]],
    ["/mislabels", ["consent-hidden"]],
    ["/hides-words", ["consent-hidden"]],
    ["/posts", ["consent-hidden"]],
    ...Array.from({ length: 10 }, (_, i): [string, string[]] => [`/misleads-${i}`, ["consent-hidden"]]),
    ["/adds", ["consent-remains"]],
    ["/big", []],
  ])("cannot get anything accepted: %s", async (path, notes) => {
    const file = await renderer.render(screenshot(site.url(path), { blockCookieBanners: true }));
    expect(file.notes).toEqual(notes);
    expect(site.requests.filter((request) => /(POST|accept$)/.test(request))).toEqual([]);
  });

  it("sees nothing but the click that declines", async () => {
    const file = await renderer.render(screenshot(site.url("/sees-nothing"), { blockCookieBanners: true }));
    expect(file.notes).toEqual(["consent-declined"]);
    expect(readPng(file.bytes).pixel(1000, 700)).toEqual([0, 128, 0, 255]);
  });

  it.each(["/navigates", "/blocks", "/frames", "/endless"])("is rendered in time: %s", async (path) => {
    const file = await renderer.render(screenshot(site.url(path), { blockCookieBanners: true }));
    expect(file.targetStatus).toBe(200);
    expect(site.requests).not.toContain("GET /clicked/hostile/accept");
  });
});

it("a dialog is also found if its document replaces the one that is being searched", async () => {
  const progress = {
    documentId: "first",
    failedUrl: null,
    followsNavigations: true,
    hasReached: () => true,
    waitUntil: async () => {},
  };
  const respond = (command: string, expression = ""): unknown => {
    if (command === "Page.getFrameTree")
      return { frameTree: { frame: { id: "main", loaderId: progress.documentId, url: "http://site/" } } };
    if (command === "Page.createIsolatedWorld") return { executionContextId: 1 };
    if (!expression.startsWith('consent.run("detectDialogs"')) return { result: {} };
    if (progress.documentId === "second")
      return { result: { value: { result: { isOpen: true, isComplete: true } } } };
    // the browser reports the new document later
    setImmediate(() => Object.assign(progress, { documentId: "second" }));
    throw new ProtocolError("Inspected target navigated or closed");
  };
  const send = async (command: string, parameters?: { expression?: string }): Promise<unknown> =>
    respond(command, parameters?.expression);
  const session = { send };
  const processes = { sessions: () => [session] };
  const dialogs = new ConsentDialogs({ progress, session, processes, mainFrameId: "main" } as unknown as Tab);
  await dialogs.decline(AbortSignal.timeout(10_000));
  expect(dialogs.isFound).toBe(true);
});
