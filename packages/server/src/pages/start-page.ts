import type { Request } from "express";
import { readAsset } from "../read-asset.ts";
import type { HttpResponse } from "../requests/response.ts";
import { htmlPage } from "./assets.ts";

/** What the forms of the pages contain with `serve --dev`. */
export interface DemoAccess {
  readonly token: string;
  /** The demo page. */
  readonly url: string;
}

const CONSOLE_LINK = '<li><a href="console/">Console</a> for operators and token holders</li>';

/** Returns the page at `/`: a form to render a page, and the command that sends the same request. */
export function createStartPage({
  hasConsole,
  demo,
}: {
  readonly hasConsole: boolean;
  readonly demo: DemoAccess | null;
}): (request: Request) => HttpResponse {
  const template = readAsset("start/index.html").toString();
  return createPrefilledPage(template.replace("{{console}}", hasConsole ? CONSOLE_LINK : ""), demo);
}

/** Returns the page at `/docs`: the API reference, with a form to try each request. */
export function createReference(demo: DemoAccess | null): (request: Request) => HttpResponse {
  return createPrefilledPage(readAsset("docs/index.html").toString(), demo);
}

/**
 * Returns a page in which the attributes of `demo` replace `{{demo}}`, but only for a browser on this machine.
 *
 * @param demo `null` without `serve --dev`: users enter a token.
 */
function createPrefilledPage(template: string, demo: DemoAccess | null): (request: Request) => HttpResponse {
  const page = htmlPage(template.replace("{{demo}}", ""));
  if (demo === null) return () => page;
  const attributes = `data-token="${escape(demo.token)}" data-url="${escape(demo.url)}"`;
  const filledPage = htmlPage(template.replace("{{demo}}", () => attributes));
  const prefilledPage = { ...filledPage, headers: { ...filledPage.headers, "Cache-Control": "no-store" } };
  return (request) => (isFromThisMachine(request) ? prefilledPage : page);
}

const LOOPBACK_PEER = /^(::1|(::ffff:)?127[.].+)$/;
const LOOPBACK_HOST = /^(localhost|127[.]0[.]0[.]1|\[::1\])(:\d+)?$/i;
/** Headers of proxies, tunnels and content delivery networks. */
const PROXY_HEADER =
  /^(forwarded|via|x-(forwarded|original|real-ip|client-ip|cluster-client-ip)|true-client-ip|cf-)/;

/**
 * Whether a browser on this machine has opened the service by a loopback name. A page of another site can resolve its
 * own name to this machine (DNS rebinding), but then sends that name. A proxy or tunnel on this machine may forward
 * requests from others. A proxy may send HTTP/1.0, or a whole URL as the target; a browser that connects directly does
 * neither.
 */
function isFromThisMachine({ socket, httpVersion, originalUrl, headers }: Request): boolean {
  const isDirect =
    httpVersion === "1.1" &&
    originalUrl.startsWith("/") &&
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name));
  return isDirect && LOOPBACK_PEER.test(socket.remoteAddress ?? "") && LOOPBACK_HOST.test(headers.host ?? "");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
