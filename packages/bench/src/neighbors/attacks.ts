/** A hostile page and its request parameters. */
export interface Attack {
  readonly name: string;
  /** The page's script; `others` holds the origins of other sites on the same server. */
  readonly script: string;
  /** Parameters in addition to `url`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Requests the rendering ten more times after each 200, because cache hits are free. */
  readonly repeats?: true;
}

const frames = (count: number, path: string): string => `
for (let index = 0; index < ${count}; index += 1)
  document.body.append(Object.assign(document.createElement("iframe"), { src: others[index % others.length] + "/${path}?" + index }));`;

const workers = (count: number, source: string): string => `
for (let index = 0; index < ${count}; index += 1)
  new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])));`;

/** Scripts of the cross-site frames, by path. */
export const FRAME_SCRIPTS: Readonly<Record<string, string>> = {
  hoard: "const kept = []; setInterval(() => kept.push(new Uint8Array(32 * 2 ** 20).fill(7)), 50);",
  spin: "for (;;);",
};

export const ATTACKS: readonly Attack[] = [
  { name: "no attack", script: "" },
  {
    name: "400 images on hosts whose names never resolve",
    script: `for (let index = 0; index < 400; index += 1)
      new Image().src = "http://" + Math.random().toString(36).slice(2) + ".silent.example.com/";`,
  },
  {
    name: "endless new iframes",
    script: `const grow = () => { for (let index = 0; index < 50; index += 1) document.body.append(document.createElement("iframe")); setTimeout(grow); }; grow();`,
  },
  { name: "reportError in a loop", script: `for (;;) reportError(new Error("x"));` },
  {
    name: "endless tasks with 1,000 reportError calls each",
    script: `const port = new MessageChannel(); port.port1.onmessage = () => { for (let index = 0; index < 1000; index += 1) reportError(new Error("x")); port.port2.postMessage(0); }; port.port2.postMessage(0);`,
  },
  { name: "document.title in a loop", script: `for (let index = 0; ; index += 1) document.title = index;` },
  {
    name: "endless tasks that set titles of 1 MB",
    script: `let round = 0; const step = () => { document.title = round++ + "x".repeat(1e6); setTimeout(step); }; step();`,
  },
  {
    name: "endless Blobs",
    script: `const kept = []; const bytes = new Uint8Array(16 * 2 ** 20); setInterval(() => kept.push(new Blob([bytes])), 10);`,
  },
  { name: "64 spinning workers", script: workers(64, "for (;;);") },
  {
    name: "a large noise image, and cache hits on it",
    script: `document.body.style.margin = 0;
    const canvas = document.body.appendChild(document.createElement("canvas"));
    canvas.width = 9800; canvas.height = 9800; canvas.style.display = "block";
    const context = canvas.getContext("2d");
    const tile = context.createImageData(980, 980);
    for (let x = 0; x < 10; x += 1) for (let y = 0; y < 10; y += 1) {
      for (let at = 0; at < tile.data.length; at += 65536) crypto.getRandomValues(tile.data.subarray(at, at + 65536));
      for (let at = 3; at < tile.data.length; at += 4) tile.data[at] = 255;
      context.putImageData(tile, x * 980, y * 980);
    }`,
    parameters: { fullPage: "true", waitUntil: "load" },
    repeats: true,
  },
  { name: "a loop in the page", script: "for (;;);" },
  { name: "loops in ten cross-site frames", script: frames(10, "spin") },
  { name: "endless memory allocation in ten cross-site frames", script: frames(10, "hoard") },
  {
    name: "endless memory allocation in the page",
    script: `const kept = []; setInterval(() => kept.push(new Uint8Array(64 * 2 ** 20).fill(7)), 20);`,
  },
  {
    name: "window.open with URLs of 2 MB",
    script: `const url = "/?" + "x".repeat(2e6); const open_ = () => { for (let index = 0; index < 10; index += 1) open(url); setTimeout(open_); }; open_();`,
  },
  {
    name: "history.pushState in a loop",
    script: `let round = 0; const step = () => { try { for (let index = 0; index < 100; index += 1) history.pushState(null, "", "?" + round++ + "x".repeat(10000)); } catch {} setTimeout(step); }; step();`,
  },
  {
    name: "endless navigations",
    script: `setTimeout(() => location.replace("?" + Math.random()), 0);`,
  },
  {
    name: "console.log in a loop in 20 workers",
    script: workers(20, `for (;;) { console.log("x".repeat(1000)); }`),
  },
  {
    name: "endless reportError calls in 20 workers",
    script: workers(
      20,
      `setInterval(() => { for (let index = 0; index < 1000; index += 1) reportError(new Error("x")); });`,
    ),
  },
  {
    name: "endless new workers",
    script: `const source = URL.createObjectURL(new Blob(["0"])); const step = () => { for (let index = 0; index < 20; index += 1) new Worker(source); setTimeout(step); }; step();`,
  },
  {
    name: "endless requests",
    script: `const step = () => { for (let index = 0; index < 100; index += 1) fetch("/tiny?" + Math.random()).catch(() => {}); setTimeout(step); }; step();`,
  },
  {
    name: "endless WebSockets",
    script: `const step = () => { for (let index = 0; index < 20; index += 1) try { new WebSocket(location.origin.replace("http", "ws") + "/ws"); } catch {} setTimeout(step); }; step();`,
  },
  {
    name: "postMessage and BroadcastChannel floods",
    script: `const channel = new BroadcastChannel("x"); const other = new BroadcastChannel("x"); const text = "x".repeat(1e6); const step = () => { for (let index = 0; index < 10; index += 1) { channel.postMessage(text); postMessage(text); } setTimeout(step); }; step();`,
  },
  {
    name: "endless tasks with 2,000 enumerateDevices calls each",
    script: `const step = () => { for (let index = 0; index < 2000; index += 1) navigator.mediaDevices.enumerateDevices(); setTimeout(step); }; step();`,
  },
  {
    name: "endless tasks with 2,000 cookieStore.set calls each",
    script: `const step = () => { for (let index = 0; index < 2000; index += 1) cookieStore.set("x" + (index % 50), "y"); setTimeout(step); }; step();`,
  },
  {
    name: "endless tasks with 500 Cache.put calls each",
    script: `const step = () => { for (let index = 0; index < 500; index += 1) caches.open("x" + (index % 20)).then((cache) => cache.put("/" + index, new Response("y"))); setTimeout(step); }; step();`,
  },
  {
    name: "large IndexedDB writes and endless localStorage writes",
    script: `const text = "x".repeat(4e6); let round = 0;
    indexedDB.open("x").onupgradeneeded = ({ target: { result } }) => {
      const store = result.createObjectStore("x"); for (let index = 0; index < 100; index += 1) store.put(text + index, index); };
    setInterval(() => { try { localStorage.setItem("x" + round++, "y".repeat(1e5)); } catch {} }, 5);`,
  },
  {
    name: "endless layout",
    script: `const root = document.body; for (let index = 0; index < 30000; index += 1) root.append(Object.assign(document.createElement("div"), { textContent: "x", style: "display:inline-flex;filter:blur(3px)" }));
    const step = () => { root.style.width = 300 + Math.random() * 900 + "px"; root.getBoundingClientRect(); setTimeout(step); }; step();`,
  },
  {
    name: "endless canvas drawing",
    script: `const canvas = document.body.appendChild(document.createElement("canvas")); canvas.width = canvas.height = 8000; const context = canvas.getContext("2d");
    const step = () => { for (let index = 0; index < 50; index += 1) { context.filter = "blur(20px)"; context.drawImage(canvas, 1, 1); } requestAnimationFrame(step); }; step();`,
  },
  {
    name: "crypto on the thread pool",
    script: `const bytes = new Uint8Array(2 ** 26); for (let index = 0; index < 64; index += 1) (async () => { for (;;) await crypto.subtle.digest("SHA-512", bytes); })();`,
  },
  { name: "endless dialogs", script: `for (;;) alert("x");` },
  {
    name: "a PDF of 20,000 pages",
    script: `document.body.innerHTML = "<p style='break-after:page'>a page of text</p>".repeat(20000);`,
    parameters: { pdf: "true" },
  },
  {
    name: "endless downloads",
    script: `const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([new Uint8Array(1e6)])), download: "x" }); const step = () => { for (let index = 0; index < 20; index += 1) link.click(); setTimeout(step); }; step();`,
  },
  {
    name: "endless RTCPeerConnections",
    script: `const kept = []; const step = () => { for (let index = 0; index < 20; index += 1) { const connection = new RTCPeerConnection(); connection.createDataChannel("x"); connection.createOffer().then((offer) => connection.setLocalDescription(offer)).catch(() => {}); kept.push(connection); } setTimeout(step); }; step();`,
  },
  {
    name: "endless FontFaces",
    script: `const bytes = new Uint8Array(2 ** 20); const step = () => { for (let index = 0; index < 20; index += 1) document.fonts.add(new FontFace("x" + Math.random(), bytes)); setTimeout(step); }; step();`,
  },
];
