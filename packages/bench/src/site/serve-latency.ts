import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "../../../testing/test/servers/certificate.ts";
import { drawPng } from "./draw-png.ts";
import { startRelay } from "./relay.ts";

/*
 * Serves the page with internet latency over TLS and HTTP/2 in a separate process: one server, and a relay for each host
 * and round-trip time. The arguments are the round-trip times in milliseconds. Prints the page's origin for each of them,
 * and the hash of the key that browsers must trust.
 */

export interface LatencyAnnouncement {
  /** Origins of the page, by round-trip time in milliseconds. */
  readonly origins: Readonly<Record<number, string>>;
  /** SHA-256 of the certificate's public key (SubjectPublicKeyInfo) in Base64. */
  readonly keyHash: string;
}

const SLOW_MS = 1000;
/** Loopback addresses that stand in for internet hosts: one for the page, three for its resources, and a slow third party. */
const HOSTS = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"];

const repeat = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("\n");

/**
 * A typical web page, with ten resources from each of four hosts (styles that load a font, scripts that add elements, and
 * images, ten of which a script inserts) and a third party that responds after a second.
 */
function pageHtml([page = "", files = "", images = "", inserted = "", slow = ""]: readonly string[]): string {
  const styles = (host: string): string =>
    repeat(2, (index) => `<link rel="stylesheet" href="${host}/styles/${index}.css">`);
  const scripts = (host: string, count: number): string =>
    repeat(count, (index) => `<script defer src="${host}/scripts/${index}.js"></script>`);
  const imageTags = (host: string, count: number): string =>
    repeat(count, (index) => `<img src="${host}/image/${index}.png" width="120" height="120" alt="">`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>remote</title>
${styles(page)}${styles(files)}${scripts(page, 3)}${scripts(files, 5)}
<h1>A page with parts from several hosts</h1><main></main>
${imageTags(page, 5)}${imageTags(files, 2)}${imageTags(images, 10)}
<section></section>
<script type="module">
document.querySelector("section").innerHTML = ${JSON.stringify(imageTags(inserted, 10))};
fetch("${slow}/slow.txt").then((response) => response.text()).then((text) => {
  document.querySelector("section").append(text);
});
</script>`;
}

/** The first style sheet of each host uses the font, which the second host serves. */
function styleText(index: number, files = ""): string {
  if (index === 0)
    return `@font-face { font-family: Web; src: url(${files}/font/400.woff2) } body { font: 15px/1.5 Web }`;
  return `article:nth-child(${index + 1}n) { padding: 12px; background: hsl(${index * 70} 60% 90%) }`;
}

const scriptText = (index: number): string =>
  `document.querySelector("main").append(Object.assign(document.createElement("article"), { textContent: "Part ${index} of the page" }));`;

const IMAGES = Array.from({ length: 10 }, (_, index) => drawPng(index, 120));
const FONT = readFileSync(
  new URL(import.meta.resolve("@fontsource/inter/files/inter-latin-400-normal.woff2")),
);
/** Maps each origin to all origins of its variant. */
const originsOf = new Map<string, readonly string[]>();

function respond(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const origins = originsOf.get(`https://${request.authority || String(request.headers.host)}`) ?? [];
  const [, kind = "", name = ""] = /^\/(\w+)(?:\/(\w+))?/.exec(request.url) ?? [];
  const send = (type: string, body: string | Buffer): void => {
    response.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" }).end(body);
  };
  if (kind === "remote") send("text/html", pageHtml(origins));
  else if (kind === "styles") send("text/css", styleText(Number(name), origins[1]));
  else if (kind === "scripts") send("text/javascript", scriptText(Number(name)));
  else if (kind === "image") send("image/png", IMAGES[Number(name)] ?? "");
  else if (kind === "font") send("font/woff2", FONT);
  else if (kind === "slow") setTimeout(() => send("text/plain", "And a third party"), SLOW_MS);
  else response.writeHead(404).end();
}

const { cert, key } = makeCertificate({
  names: HOSTS.map((host) => ({ kind: "address", bytes: host.split(".").map(Number) })),
  validUntil: new Date(Date.now() + 24 * 60 * 60 * 1000),
});
const server = createSecureServer({ cert, key, allowHTTP1: true }, respond);
await once(server.listen(0, "127.0.0.1"), "listening");
const targetPort = (server.address() as AddressInfo).port;
const pageOrigins: Record<number, string> = {};
for (const roundTripMs of process.argv.slice(2).map(Number)) {
  const origins: string[] = [];
  for (const host of HOSTS)
    origins.push(`https://${host}:${await startRelay({ host, targetPort, roundTripMs })}`);
  for (const origin of origins) originsOf.set(origin, origins);
  pageOrigins[roundTripMs] = origins[0] ?? "";
}
const publicKey = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
const keyHash = createHash("sha256").update(publicKey).digest("base64");
console.log(JSON.stringify({ origins: pageOrigins, keyHash } satisfies LatencyAnnouncement));
