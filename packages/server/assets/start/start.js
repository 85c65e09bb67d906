/** The form of the start page. It stores the token in `sessionStorage` only. */

/** The reference at `/docs` uses the same item. */
const STORED_TOKEN = "snap-token";
/** Longer than any render can take. */
const RENDER_TIMEOUT_MS = 180_000;
/** A `blob:` URL has the page's origin, so a file must not be able to run scripts. */
const FILE_TYPES = new Set(["image/png", "image/jpeg", "image/webp", "application/pdf"]);
/** Programs under development rarely have a certificate. */
const LOOPBACK = /^(localhost|127\.|\[::1\])/i;

const find = (id) => document.getElementById(id);
const form = find("form");
const [url, token, format, fullPage] = ["url", "token", "format", "full-page"].map(find);
const [state, result, command] = ["status", "result", "command"].map(find);
/** Only with `serve --dev`, for a browser on the same machine. */
const { token: demoToken, url: demoUrl } = form.dataset;

let running = new AbortController();
let fileUrl = null;

url.value = demoUrl ?? "";
token.value = demoToken ?? sessionStorage.getItem(STORED_TOKEN) ?? "";
find("token-field").hidden = demoToken !== undefined;
find("command-hint").hidden = demoToken !== undefined;
form.addEventListener("input", showCommand);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void render();
});
find("copy").addEventListener("click", () => void copy());
showCommand();

/** The address at which the browser reached the service, which may be behind a proxy. */
function requestUrl() {
  const address = new URL("v1/snap", document.baseURI);
  const target = url.value.trim() || url.placeholder;
  const isAbsolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
  const isPdf = format.value === "pdf";
  const query = {
    url: isAbsolute ? target : `${LOOPBACK.test(target) ? "http" : "https"}://${target}`,
    ...(isPdf && { pdf: "true" }),
    ...(!isPdf && format.value !== "png" && { format: format.value }),
    ...(!isPdf && fullPage.checked && { fullPage: "true" }),
  };
  address.search = Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  return address.href;
}

function fileName() {
  return `page.${format.value === "jpeg" ? "jpg" : format.value}`;
}

function showCommand() {
  fullPage.disabled = format.value === "pdf";
  const header =
    demoToken === undefined
      ? '"Authorization: Bearer $SNAP_TOKEN"'
      : quote(`Authorization: Bearer ${demoToken}`);
  command.textContent = `curl -fsS -H ${header} ${quote(requestUrl())} -o ${fileName()}`;
}

/** Quotes text for a POSIX shell. */
function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function render() {
  const missing = [url, token].find((field) => field.value.trim() === "");
  if (missing !== undefined) {
    missing.focus();
    return show(missing === url ? "Enter the URL of a page." : "Enter a token.", true);
  }
  sessionStorage.setItem(STORED_TOKEN, token.value.trim());
  running.abort();
  const current = (running = new AbortController());
  clear();
  show("Rendering…");
  const startedMs = performance.now();
  try {
    const response = await fetch(requestUrl(), {
      headers: { Authorization: `Bearer ${token.value.trim()}` },
      cache: "no-store",
      signal: AbortSignal.any([current.signal, AbortSignal.timeout(RENDER_TIMEOUT_MS)]),
    });
    if (!response.ok) return await showFailure(response);
    showFile(await response.blob());
    show(describe(response.headers, performance.now() - startedMs));
  } catch (error) {
    // a later request has replaced this one
    if (!current.signal.aborted) show(`The service did not respond: ${error.message}`, true);
  }
}

async function showFailure(response) {
  const { message, code } = await response.json().catch(() => ({}));
  const advice =
    code === "blocked_host"
      ? " To allow a private address, the operator must add it to SNAP_ALLOW_TARGETS."
      : "";
  show(
    message === undefined
      ? `The service returned status ${response.status}.`
      : `${message} (${code})${advice}`,
    true,
  );
  if (response.status === 401 && demoToken === undefined) token.focus();
}

function describe(headers, durationMs) {
  const cost = headers.get("X-Cache") === "HIT" ? "from the cache, free" : "1 credit";
  const remaining = headers.get("X-Credits-Remaining");
  const left = remaining === null ? "" : `; ${Number(remaining).toLocaleString("en-US")} credits left`;
  return `Done in ${(durationMs / 1000).toFixed(2)} s: ${cost}${left}.`;
}

function clear() {
  result.hidden = true;
  result.replaceChildren();
  if (fileUrl !== null) URL.revokeObjectURL(fileUrl);
  fileUrl = null;
}

function showFile(blob) {
  const type = FILE_TYPES.has(blob.type) ? blob.type : "application/octet-stream";
  fileUrl = URL.createObjectURL(new Blob([blob], { type }));
  const link = document.createElement("a");
  Object.assign(link, { href: fileUrl, download: fileName(), textContent: `Save ${fileName()}` });
  const image = document.createElement("img");
  Object.assign(image, { src: fileUrl, alt: `Rendering of ${url.value.trim()}` });
  result.replaceChildren(...(type.startsWith("image/") ? [image, link] : [link]));
  result.hidden = false;
}

function show(text, isFailure = false) {
  state.textContent = text;
  state.className = isFailure ? "failed" : "";
}

/** Over plain HTTP, except on this machine, browsers have no clipboard: the command is selected instead. */
async function copy() {
  try {
    await navigator.clipboard.writeText(command.textContent);
    show("Command copied.");
  } catch {
    getSelection().selectAllChildren(command);
    show("This browser does not allow copying; the command is selected, so press Ctrl+C.");
  }
}
