import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "../../servers/certificate.ts";
import { HOST_NAMES, HOSTS, ROUND_TRIPS_MS, type HostName } from "../distance/hosts.ts";
import { writePage, writeScript, writeStyle, type Origins } from "../distance/page.ts";
import { startRelay } from "../distance/relay.ts";
import { drawPng } from "../site/png.ts";

/*
 * Serves the page at internet distance over TLS and HTTP/2, in a process of its own: one server, and a relay for
 * each host and round trip. Prints where each variant is, and the hash of the key that browsers have to trust.
 */

export interface DistanceAnnouncement {
  /** Of the page, by round trip in milliseconds. */
  readonly origins: Readonly<Record<number, string>>;
  /** SHA-256 of the certificate's public key (SubjectPublicKeyInfo) in Base64. */
  readonly keyHash: string;
}

const SLOW_MS = 1000;
const IMAGE_SIDE_PX = 120;
const IMAGES = Array.from({ length: 10 }, (_, index) => drawPng(index, IMAGE_SIDE_PX, IMAGE_SIDE_PX));
const FONT = readFileSync(
  new URL(import.meta.resolve("@fontsource/inter/files/inter-latin-400-normal.woff2")),
);

const { cert, key } = makeCertificate({
  names: Object.values(HOSTS).map((host) => ({ kind: "address", bytes: host.split(".").map(Number) })),
  validUntil: new Date(Date.now() + 24 * 60 * 60 * 1000),
});
/** Those of the variant that a request came in by, under the origin that it names. */
const originsOf = new Map<string, Origins>();

function answer(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const path = request.url.split("?", 1)[0] ?? "/";
  const origins = originsOf.get(`https://${request.authority || String(request.headers.host)}`);
  const [, kind = "", name = ""] = /^\/(\w+)\/(\w+)[.]/.exec(path) ?? [];
  const send = (type: string, body: string | Buffer): void => {
    response.setHeader("content-type", type);
    response.setHeader("access-control-allow-origin", "*");
    response.end(body);
  };
  if (origins === undefined) response.writeHead(421).end();
  else if (path === "/distant") send("text/html", writePage(origins));
  else if (kind === "styles") send("text/css", writeStyle(Number(name), origins));
  else if (kind === "scripts") send("text/javascript", writeScript(Number(name)));
  else if (kind === "image") send("image/png", IMAGES[Number(name)] ?? Buffer.of());
  else if (kind === "font") send("font/woff2", FONT);
  else if (path === "/slow.txt") setTimeout(() => send("text/plain", "And a third party"), SLOW_MS);
  else response.writeHead(404).end();
}

const server = createSecureServer({ cert, key, allowHTTP1: true }, answer);
await once(server.listen(0, "127.0.0.1"), "listening");
const targetPort = (server.address() as AddressInfo).port;
const pageOrigins: Record<number, string> = {};
for (const roundTripMs of ROUND_TRIPS_MS) {
  const origins: Partial<Record<HostName, string>> = {};
  for (const name of HOST_NAMES) {
    const { port } = await startRelay({ host: HOSTS[name], targetPort, roundTripMs });
    origins[name] = `https://${HOSTS[name]}:${port}`;
  }
  for (const origin of Object.values(origins)) originsOf.set(origin, origins as Origins);
  pageOrigins[roundTripMs] = (origins as Origins).page;
}
const publicKey = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
const announcement: DistanceAnnouncement = {
  origins: pageOrigins,
  keyHash: createHash("sha256").update(publicKey).digest("base64"),
};
console.log(JSON.stringify(announcement));
