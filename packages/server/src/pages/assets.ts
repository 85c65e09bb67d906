import { readAsset } from "../read-asset.ts";
import type { HttpResponse } from "../requests/response.ts";

/** Nothing from other origins and nothing inline. Renderings in the form are `blob:` URLs, icons are `data:` URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Large, and independent of the pages' own scripts. */
const VIEWER_CACHE_CONTROL = "public, max-age=3600";

/** Files of the two pages, by path. All but the viewer's are revalidated, to match the page. */
export function pageAssets(): readonly (readonly [string, HttpResponse])[] {
  return [
    ["/start/start.css", asset("text/css", "start/start.css")],
    ["/start/start.js", asset("text/javascript", "start/start.js")],
    ["/docs/init.js", asset("text/javascript", "docs/init.js")],
    ["/docs/swagger-ui.css", asset("text/css", "viewer/swagger-ui.css", VIEWER_CACHE_CONTROL)],
    [
      "/docs/swagger-ui-bundle.js",
      asset("text/javascript", "viewer/swagger-ui-bundle.js", VIEWER_CACHE_CONTROL),
    ],
  ];
}

/** A page that loads only the service's own files. */
export function htmlPage(body: string): HttpResponse {
  return {
    status: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
    },
    body,
  };
}

function asset(type: string, path: string, cacheControl = "no-cache"): HttpResponse {
  return {
    status: 200,
    headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": cacheControl },
    body: readAsset(path),
  };
}
