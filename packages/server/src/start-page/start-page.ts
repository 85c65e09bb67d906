import type { Request } from "express";
import { htmlPage } from "../docs-page/pages.ts";
import { readAsset } from "../read-asset.ts";
import type { HttpResponse } from "../requests/response.ts";

/** What the form contains with `serve --dev`. */
export interface DemoAccess {
  readonly token: string;
  /** The demo page. */
  readonly url: string;
}

export interface StartPageOptions {
  readonly hasConsole: boolean;
  /** `null` without `serve --dev`: users enter a token. */
  readonly demo: DemoAccess | null;
}

const CONSOLE_LINK = '<li><a href="console/">Console</a> for operators and token holders</li>';

/** Returns the page at `/`: a form that renders, and the command for the same request. */
export function createStartPage({ hasConsole, demo }: StartPageOptions): (request: Request) => HttpResponse {
  const template = readAsset("start/index.html")
    .toString()
    .replace("{{console}}", hasConsole ? CONSOLE_LINK : "");
  const page = htmlPage(template.replace("{{demo}}", ""));
  if (demo === null) return () => page;
  const attributes = `data-token="${escape(demo.token)}" data-url="${escape(demo.url)}"`;
  const own = htmlPage(template.replace("{{demo}}", () => attributes));
  const demoPage = { ...own, headers: { ...own.headers, "Cache-Control": "no-store" } };
  return (request) => (isFromThisMachine(request) ? demoPage : page);
}

const LOOPBACK_PEER = /^(::1|(::ffff:)?127[.].+)$/;
const LOOPBACK_HOST = /^(localhost|127[.]0[.]0[.]1|\[::1\])(:\d+)?$/i;
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Whether a browser on this machine has opened the service by a loopback name. A page of another site can resolve its
 * own name to this machine (DNS rebinding), but then sends that name. A proxy or tunnel on this machine may carry
 * requests of others.
 */
function isFromThisMachine({ socket, headers }: Request): boolean {
  const { remoteAddress = "" } = socket;
  const isDirect = PROXY_HEADERS.every((name) => headers[name] === undefined);
  return isDirect && LOOPBACK_PEER.test(remoteAddress) && LOOPBACK_HOST.test(headers.host ?? "");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
