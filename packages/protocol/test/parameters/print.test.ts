import { describe, expect, it } from "vitest";
import { canonicalText, PARAMETERS } from "../../src/index.ts";
import { isSelfContained } from "../../src/parameters/print-html.ts";

function canonical(name: "headerHtml" | "pageRanges", text: string): string | null {
  const row = PARAMETERS.pdf[name];
  if (row.kind !== "text") throw new Error(`${name} is not a text parameter`);
  return canonicalText(row, text);
}

describe("pageRanges", () => {
  it.each([
    ["1", "1"],
    ["1-3,5,8-", "1-3,5,8-"],
    [" 5 ,1-3 ", "1-3,5"],
    ["8-,9,1,2", "1-2,8-"],
    ["1-4,2-3", "1-4"],
    ["3-3", "3"],
    ["1-", "1-"],
    ["99999", "99999"],
  ])("are normalized: %s becomes %s", (text, expected) => {
    expect(canonical("pageRanges", text)).toBe(expected);
  });

  it.each(["0", "0-1", "2-1", "-2", "-", "1--2", "1-2-3", "1,,2", "a", "1.5", "100000", "１"])(
    "are rejected: %s",
    (text) => {
      expect(canonical("pageRanges", text)).toBeNull();
    },
  );
});

describe("headerHtml", () => {
  it.each([
    "Page <span class=pageNumber></span> / <span class='totalPages'></span>",
    '<a href="https://example.com">https://example.com</a>',
    '<img src="data:image/png;base64,iVBORw0K" style="height: 5mm">',
    "<img alt=logo src='data:image/svg+xml,%3Csvg%3E'>",
    '<svg><linearGradient id="g"></linearGradient><rect fill="url(#g)" /></svg>',
    '<svg><use href="#g"/><image xlink:href="data:image/png;base64,iVBORw0K"/></svg>',
    `<svg><use a="<" href="#g"/><image b='>' c = 1 href=data:image/png;base64,iVBORw== ></image></svg><a href="/">a</a>`,
    "<style>b { color: red; background: linear-gradient(red, blue) }</style><b>resource</b>",
    '<!doctype html><html><head><meta charset="utf-8"><base target="_blank"></head><body>Page</body></html>',
  ])("is accepted: %s", (html) => {
    expect(canonical("headerHtml", html)).toBe(html);
  });

  it.each([
    ["a src attribute", " src="],
    ["a style", "url("],
    ["an SVG image", "<image href="],
    ["many SVG images", "<image ".repeat(140) + "href="],
    ["SVG elements in attribute values", '<use a="'.repeat(2_400) + "<use href="],
    ["attributes of an SVG element", `<use${" a=b/c".repeat(3_300)} href=`],
  ])("is checked in linear time: %s with a lot of white space", (_, start) => {
    const html = start + " ".repeat(19_990 - start.length);
    for (let count = 0; count < 300; count += 1) expect(canonical("headerHtml", html)).toBeNull();
  });

  it("is checked in linear time: an element name that contains `<use` many times", () => {
    const html = `${'<use"'.repeat(200_000)}<use href="a.svg">`;
    for (let count = 0; count < 120; count += 1) expect(isSelfContained(html)).toBe(false);
  });

  it.each([
    '<img src="https://example.com/logo.png">',
    "<img src=logo.png>",
    "<img alt=''src=//example.com/logo.png>",
    '<img src = "data:text/html,x">',
    '<img srcset="a.png 2x">',
    "<script>1</script>",
    "<SCRIPT>1</SCRIPT>",
    '<link rel="stylesheet" href="https://example.com/a.css">',
    '<iframe srcdoc="x"></iframe>',
    '<object data="x"></object>',
    '<embed src="x">',
    '<style>@import "a.css"</style>',
    "<style>@font-face { font-family: a; src: url(https://example.com/a.woff2) }</style>",
    "<div style=\"background: url( 'https://example.com/a.png' )\"></div>",
    '<rect fill="url(https://example.com/a.svg#b)" />',
    '<table background="a.png"></table>',
    '<svg><image href="https://example.com/a.png"/></svg>',
    '<svg><use xlink:href="a.svg#b"/></svg>',
    "<svg><feImage width=1 href='a.png'/></svg>",
    `<svg><use a="<" href="a.svg#b"/></svg>`,
    `<svg><use a='>' href="a.svg#b"/></svg>`,
    `<svg><use a" b=">" href="a.svg#b"/></svg>`,
    `<svg><use a==" b=">" href="a.svg#b"/></svg>`,
    `<!-- <use a=" --><svg><use b=">" href="a.svg#b"/></svg>`,
    `<b style='background: image-set("a.png" 1x)'></b>`,
  ])("is rejected because it runs a script or loads a resource: %s", (html) => {
    expect(canonical("headerHtml", html)).toBeNull();
  });

  it("is rejected if an SVG element loads a resource, however many attributes it has", () => {
    const start = `<svg><use${" a=b".repeat(300)} href=`;
    expect(canonical("headerHtml", `${start}"#b"/></svg>`)).not.toBeNull();
    expect(canonical("headerHtml", `${start}"a.svg#b"/></svg>`)).toBeNull();
  });
});
