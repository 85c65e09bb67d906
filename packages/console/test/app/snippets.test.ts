import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { imageHtml, explainUnsignable } from "../../src/app/playground/snippets/sign-image.ts";
import {
  curlSnippet,
  pythonSnippet,
  toolCallSnippet,
  typeScriptSnippet,
} from "../../src/app/playground/snippets/snippet-text.ts";

const BASE_URL = "https://snap.example.com/v1";
/** Quotes, line separators, and characters that a shell or an attribute would interpret. */
const NASTY = `https://example.com/?q='"$(id)\`id\`\\&<b>\u2028`;

describe("the curl command", () => {
  it("passes its arguments through a shell unchanged", () => {
    const command = curlSnippet({ url: NASTY, fullPage: true }, BASE_URL);
    // prints its arguments, each followed by a zero byte
    const script = `curl() { printf '%s\\0' "$@"; }\nSNAP_TOKEN='7|t'\n${command}`;
    const args = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
    expect(args).toEqual([
      "-fsS",
      "-D",
      "-",
      "https://snap.example.com/v1/snap",
      "-H",
      "Authorization: Bearer 7|t",
      "-G",
      "--data-urlencode",
      `url=${NASTY}`,
      "--data-urlencode",
      "fullPage=true",
      "-o",
      "rendering.png",
    ]);
  });

  it("writes AVIF to an .avif file", () => {
    expect(curlSnippet({ url: "https://example.com/", output: "avif" }, BASE_URL)).toMatch(
      /-o rendering\.avif$/,
    );
  });

  it("posts content as JSON", () => {
    expect(curlSnippet({ html: "<p>it's</p>", format: "jpeg" }, BASE_URL)).toBe(
      [
        "curl -fsS -D - 'https://snap.example.com/v1/captures' \\",
        '  -H "Authorization: Bearer $SNAP_TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        `  --data-raw '{"html":"<p>it'\\''s</p>","format":"jpeg"}' \\`,
        "  -o rendering.jpg",
      ].join("\n"),
    );
  });
});

it("the TypeScript program calls the method for the mode", () => {
  expect(typeScriptSnippet({ url: NASTY, pdf: true, cookies: [{ name: "a", value: "b" }] }, BASE_URL)).toBe(
    `import { writeFile } from "node:fs/promises";
import { createClient } from "@snap/client";

const snap = createClient({ baseUrl: "https://snap.example.com/v1" });
const { bytes, etag } = await snap.pdf({
  url: ${JSON.stringify(NASTY)},
  cookies: [{"name":"a","value":"b"}],
});
await writeFile("rendering.pdf", bytes);
console.log(etag);`,
  );
});

describe("the Python program", () => {
  it("sends the query as strings", () => {
    const program = pythonSnippet({ url: "https://example.com/", scale: 2, fullPage: true }, BASE_URL);
    expect(program).toContain(`response = requests.get(
    "https://snap.example.com/v1/snap",
    headers={"Authorization": "Bearer " + os.environ["SNAP_TOKEN"]},
    params={
        "url": "https://example.com/",
        "scale": "2",
        "fullPage": "true",
    },
    timeout=150,
)`);
  });

  it("sends a body as Python values", () => {
    const parameters = {
      markdown: "# A",
      fullPage: true,
      javascript: false,
      cookies: [{ name: "a", value: "b" }],
    };
    expect(pythonSnippet(parameters, BASE_URL)).toContain(`    json={
        "markdown": "# A",
        "fullPage": True,
        "javascript": False,
        "cookies": [
            {
                "name": "a",
                "value": "b",
            },
        ],
    },`);
  });
});

it("the tool call names the tool for the mode, and omits pdf", () => {
  expect(JSON.parse(toolCallSnippet({ url: "https://example.com/", pdf: true }))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "create-pdf", arguments: { url: "https://example.com/" } },
  });
});

describe("the image", () => {
  const signer = {
    baseUrl: BASE_URL,
    tokenId: 7,
    signingSecret: "s3cret-of-token-7",
    expires: 1_893_456_000,
  };

  it("is signed and escaped for its attribute", () => {
    // computed with openssl from the canonical query
    const url =
      "https://snap.example.com/v1/snap/signed?expires=1893456000&amp;fullPage=true&amp;tokenId=7" +
      "&amp;url=https%3A%2F%2Fexample.com%2F&amp;signature=d68823495d3d047b4cbc1c94a21492f40313df08540b375dbf71a6be396b75ef";
    expect(imageHtml({ url: "https://example.com/", fullPage: true }, signer)).toBe(
      `<img src="${url}" alt="" />`,
    );
  });

  it.each([
    [{ url: "https://example.com/", cookies: [] }, "cookies cannot be part of a signed URL"],
    [{ html: "<p>" }, "Signed URLs require url"],
    [{ url: "https://example.com/", css: "é".repeat(20_000) }, "too long for a URL"],
    [{ url: "https://example.com/", css: " ".repeat(20_000) }, "too long for a URL"],
  ])("is not signed for %o", (parameters, reason) => {
    expect(explainUnsignable(parameters)).toContain(reason);
  });
});
