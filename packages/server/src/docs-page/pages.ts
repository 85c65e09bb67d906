import { readAsset } from "../read-asset.ts";
import type { Answer } from "../requests/answer.ts";
import { DOCS_HTML, DOCS_SCRIPT, START_HTML, START_STYLE } from "./sources.ts";

/** Nothing from elsewhere, nothing inline. The form shows a rendering as `blob:`, icons are `data:`. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page at `/`. */
export function startPage(): Answer {
  return htmlPage(START_HTML);
}

/** The reference at `/docs`, with a form to try each request. */
export function docsPage(): Answer {
  return htmlPage(DOCS_HTML);
}

/** Every file that the two pages load, by its path; all of them from this origin. */
export function docsAssets(): readonly (readonly [string, Answer])[] {
  return [
    ["/docs/start.css", asset("text/css", START_STYLE)],
    ["/docs/init.js", asset("text/javascript", DOCS_SCRIPT)],
    ["/docs/swagger-ui.css", asset("text/css", readAsset("viewer/swagger-ui.css"))],
    ["/docs/swagger-ui-bundle.js", asset("text/javascript", readAsset("viewer/swagger-ui-bundle.js"))],
  ];
}

function htmlPage(body: string): Answer {
  return {
    status: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      "Content-Security-Policy": PAGE_POLICY,
      "Referrer-Policy": "no-referrer",
    },
    body,
  };
}

function asset(type: string, body: string | Buffer): Answer {
  return {
    status: 200,
    headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "public, max-age=3600" },
    body,
  };
}
