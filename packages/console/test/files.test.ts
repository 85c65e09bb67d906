import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { consoleFiles, CONTENT_SECURITY_POLICY } from "../src/index.ts";

const files = consoleFiles();
const html = new TextDecoder().decode(files.get("")?.body);

describe("the files of the console", () => {
  it("are a page, a script, a style sheet, an icon and the licenses of bundled packages", () => {
    const kinds = Array.from(files, ([path, { contentType, isImmutable }]) => [
      path.replace(/-[\w-]{8}\./, "-HASH."),
      { contentType, isImmutable },
    ]);
    expect(Object.fromEntries(kinds)).toEqual({
      "": { contentType: "text/html; charset=utf-8", isImmutable: false },
      "assets/icon-HASH.svg": { contentType: "image/svg+xml", isImmutable: true },
      "assets/index-HASH.css": { contentType: "text/css; charset=utf-8", isImmutable: true },
      "licenses.md": { contentType: "text/markdown; charset=utf-8", isImmutable: false },
      "assets/index-HASH.js": { contentType: "text/javascript; charset=utf-8", isImmutable: true },
    });
  });

  it("total less than 100 KB gzipped", () => {
    const sizes = Array.from(files.values(), ({ body }) => gzipSync(body, { level: 9 }).byteLength);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
  });

  it("are referenced by relative URLs, so the console works under any path", () => {
    const urls = Array.from(html.matchAll(/(?:src|href)="([^"]*)"/g), ([, url]) => url);
    expect(urls).toHaveLength(3);
    for (const url of urls) expect([url, files.has(url!.replace("./", ""))]).toEqual([url, true]);
  });

  it("contain nothing inline", () => {
    expect(html).not.toMatch(/<style|style=|<script(?! type="module" crossorigin src=)| on\w+=/);
  });
});

it("the policy allows nothing inline, nothing from other origins, and no HTML from text", () => {
  expect(CONTENT_SECURITY_POLICY.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "frame-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
});
