/** `$port` is replaced by the site's port, and `$test` by the query that names the test. */
export const BLOCKING_PAGES: Readonly<Record<string, string>> = {
  "/hosts.html": `
    <img src="http://ads.test:$port/1.png?$test"><img src="http://ads.test:$port/2.png?$test">
    <img src="http://cdn.ads.test:$port/3.png?$test"><img src="http://fine.test:$port/4.png?$test">
    <script src="http://ads.test:$port/5.js?$test"></script>
    <iframe src="http://ads.test:$port/6.html?$test"></iframe>`,

  // requests ads.test from the page, a frame in another process, a dedicated and a shared worker
  "/everywhere.html": `
    <img src="http://ads.test:$port/page.png?$test">
    <iframe src="http://fine.test:$port/frame.html?$test"></iframe>
    <script>
      new WebSocket("ws://ads.test:$port/socket?$test");
      new Worker("/worker.js?$test");
      new SharedWorker("/shared.js?$test");
    </script>`,
  "/frame.html": `
    <img src="http://ads.test:$port/frame.png?$test">
    <script>new WebSocket("ws://ads.test:$port/frame-socket?$test");</script>`,
  "/worker.js": `
    fetch("http://ads.test:$port/worker.txt?$test").catch(() => {});
    new WebSocket("ws://ads.test:$port/worker-socket?$test");`,
  "/shared.js": `
    fetch("http://ads.test:$port/shared.txt?$test").catch(() => {});
    new WebSocket("ws://ads.test:$port/shared-socket?$test");`,

  "/service.html": `<p>text</p><script>
    navigator.serviceWorker.register("/service-worker.js?$test");
    navigator.serviceWorker.ready.then(() => import("/installed.js?$test"));
  </script>`,
  "/service-worker.js": `oninstall = (event) => {
    event.waitUntil(fetch("http://ads.test:$port/service.txt?$test").catch(() => {}));
  };`,

  // once a service worker controls it, loads five files, and names those that it got in its title
  "/controlled.html": `<p>text</p><script>(async () => {
    const controlled = new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
    await navigator.serviceWorker.register("/controller.js?$test");
    await controlled;
    const load = (name, element) => new Promise((resolve) => {
      element.onload = () => resolve([name]);
      element.onerror = () => resolve([]);
      document.body.append(element);
    });
    const image = (name) => load(name, Object.assign(new Image(), { src: "/" + name + ".gif?$test" }));
    const style = { rel: "stylesheet", href: "/plain.css?$test" };
    const worker = new Worker("/fetching-worker.js?$test");
    const loaded = await Promise.all([
      image("image"),
      image("made"),
      load("style", Object.assign(document.createElement("link"), style)),
      fetch("/fetched.txt?$test").then(() => ["fetch"], () => []),
      new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); }),
    ]);
    document.title = loaded.flat().join(" ");
  })();</script>`,
  "/controller.js": `
    oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(clients.claim());
    const svg = { headers: { "content-type": "image/svg+xml" } };
    const respond = ({ request }) => request.url.includes("/made.gif")
      ? new Response('<svg xmlns="http://www.w3.org/2000/svg"/>', svg)
      : fetch(request);
    onfetch = (event) => event.respondWith(respond(event));`,
  "/fetching-worker.js": `
    fetch("/from-worker.txt?$test").then(() => postMessage(["worker"]), () => postMessage([]));`,

  "/redirected-image.html": `<p>text</p>
    <script>
      const to = encodeURIComponent("http://ads.test:$port/target.png?$test");
      new Image().src = "http://fine.test:$port/hop.png?$test&to=" + to;
    </script>`,

  // requests its own host four times
  "/own.html": `
    <img src="/7.png?$test"><script src="/7.js?$test"></script><iframe src="/7.html?$test"></iframe>
    <script>const URL = 0; new WebSocket("ws://" + location.host + "/9?$test");</script>
    <img src="http://fine.test:$port/8.png?$test">`,
  "/script-away.html": `<script>onload = () => { location = "http://other.test:$port/own.html?$test"; };</script>`,
  "/refresh-away.html": `<meta http-equiv="refresh" content="0; url=http://other.test:$port/own.html?$test">`,

  "/resources.html": `
    <base href="http://fine.test:$port/">
    <link rel="stylesheet" href="style.css?$test">
    <style>div { background: url("background.png?$test"); }</style><div>background</div>
    <img src="image.png?$test"><video src="video.mp4?$test" preload="auto"></video>
    <script src="script.js?$test"></script><script type="module" src="module.js?$test"></script>
    <script>
      fetch("fetch.txt?$test").catch(() => {});
      const xhr = new XMLHttpRequest();
      xhr.open("GET", "xhr.txt?$test");
      xhr.send();
      const events = new EventSource("events.txt?$test");
      events.onerror = () => events.close();
      new WebSocket("ws://fine.test:$port/socket?$test");
    </script>
    <p style="font-family: Test">text</p>`,
  "/style.css": `
    @import "import.css?$test";
    @font-face { font-family: Test; src: url("font.woff2?$test"); }`,

  // opens WebSockets in the page, in the initial document of a frame, and in dedicated, nested and shared workers
  "/sockets.html": `<script>
    const state = (socket) => new Promise((resolve) => {
      socket.onopen = () => resolve("open");
      socket.onclose = ({ code }) => resolve(code);
    });
    const url = "ws://fine.test:$port/";
    const frame = document.createElement("iframe");
    document.documentElement.append(frame);
    const page = new WebSocket(url + "page?$test");
    if (page.url !== url + "page?$test") throw new Error(page.url);
    const worker = new Worker("/socket-worker.js?$test");
    const shared = new SharedWorker("/socket-shared.js?$test");
    Promise.all([
      state(page),
      state(new frame.contentWindow.WebSocket(url + "frame?$test")),
      new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); }),
      new Promise((resolve) => { shared.port.onmessage = ({ data }) => resolve(data); }),
    ]).then((states) => import("/closed-" + states.join("-") + ".js?$test"));
  </script>`,
  "/socket-worker.js": `
    const nested = new Worker("/socket-nested.js?$test");
    const socket = new WebSocket("ws://fine.test:$port/worker?$test");
    const state = new Promise((resolve) => {
      socket.onopen = () => resolve("open");
      socket.onclose = ({ code }) => resolve(code);
    });
    nested.onmessage = async ({ data }) => postMessage(await state + "-" + data);`,
  "/socket-nested.js": `
    const socket = new WebSocket("ws://fine.test:$port/nested?$test");
    socket.onopen = () => postMessage("open");
    socket.onclose = ({ code }) => postMessage(code);`,
  "/socket-shared.js": `onconnect = ({ ports: [port] }) => {
    const socket = new WebSocket("ws://fine.test:$port/shared?$test");
    socket.onopen = () => port.postMessage("open");
    socket.onclose = ({ code }) => port.postMessage(code);
  };`,
};
