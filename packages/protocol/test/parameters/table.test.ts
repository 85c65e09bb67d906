import { describe, expect, it } from "vitest";
import {
  encodeSpaces,
  explainUnknownName,
  fieldMessage,
  isTooLongUrl,
  modeOf,
  PARAMETER_TABLE,
  PARAMETERS,
  parseTargetUrl,
  type ParameterRow,
} from "../../src/index.ts";
import { isSelector } from "../../src/parameters/selector.ts";

/** Returns the range, values and defaults of a row, without its rules and texts. */
function contractOf(row: ParameterRow): object {
  const contractMembers = new Set([
    "name",
    "kind",
    "min",
    "max",
    "values",
    "maxCharacters",
    "isStrict",
    "default",
    "implied",
  ]);
  return Object.fromEntries(Object.entries(row).filter(([member]) => contractMembers.has(member)));
}

describe("the parameter table", () => {
  it("has the published ranges, values and defaults of screenshots", () => {
    expect(Object.values(PARAMETERS.screenshot).map(contractOf)).toEqual([
      { name: "url", kind: "url" },
      { name: "pdf", kind: "flag", default: false },
      { name: "width", kind: "pixels", min: 1, max: 10_000, implied: 1280 },
      { name: "height", kind: "pixels", min: 1, max: 10_000, implied: 800 },
      { name: "scale", kind: "integer", min: 1, max: 3, default: 1 },
      { name: "device", kind: "text", maxCharacters: 64 },
      { name: "mobile", kind: "flag", default: false },
      { name: "touch", kind: "flag", default: false },
      { name: "colorScheme", kind: "choice", values: ["light", "dark"], implied: "light" },
      { name: "reducedMotion", kind: "flag", default: false },
      { name: "forcedColors", kind: "flag", default: false },
      { name: "mediaType", kind: "choice", values: ["screen", "print"], implied: "screen" },
      { name: "locale", kind: "text", maxCharacters: 64 },
      { name: "timeZone", kind: "text", maxCharacters: 64 },
      { name: "latitude", kind: "decimal", min: -90, max: 90 },
      { name: "longitude", kind: "decimal", min: -180, max: 180 },
      { name: "accuracy", kind: "decimal", min: 1, max: 10_000, implied: 10 },
      { name: "userAgent", kind: "text", maxCharacters: 512 },
      { name: "javascript", kind: "flag", default: true },
      { name: "headers", kind: "json", maxCharacters: 4096 },
      { name: "cookies", kind: "json", maxCharacters: 16_384 },
      { name: "basicAuth", kind: "text", maxCharacters: 256 },
      { name: "fullPage", kind: "flag", default: false },
      { name: "selector", kind: "selector", maxCharacters: 512, isStrict: true },
      { name: "clipX", kind: "integer", min: 0, max: 10_000 },
      { name: "clipY", kind: "integer", min: 0, max: 10_000 },
      { name: "clipWidth", kind: "integer", min: 1, max: 10_000 },
      { name: "clipHeight", kind: "integer", min: 1, max: 10_000 },
      { name: "fullPageMaxHeight", kind: "integer", min: 100, max: 40_000 },
      { name: "padding", kind: "integer", min: 0, max: 500, implied: 0 },
      { name: "format", kind: "choice", values: ["png", "jpeg", "webp"], default: "png" },
      { name: "quality", kind: "integer", min: 1, max: 100 },
      { name: "output", kind: "choice", values: ["avif"] },
      { name: "omitBackground", kind: "flag", default: false },
      { name: "resizeWidth", kind: "integer", min: 1, max: 10_000 },
      { name: "resizeHeight", kind: "integer", min: 1, max: 10_000 },
      { name: "resizeFit", kind: "choice", values: ["inside", "cover", "contain"], implied: "inside" },
      { name: "resizePosition", kind: "choice", values: ["top", "center", "bottom"], implied: "center" },
      {
        name: "waitUntil",
        kind: "choice",
        values: ["load", "domcontentloaded", "networkidle0", "networkidle2"],
        implied: "networkidle2",
      },
      { name: "waitForSelector", kind: "selector", maxCharacters: 512, isStrict: true },
      { name: "delay", kind: "integer", min: 0, max: 10_000 },
      { name: "waitForFunction", kind: "text", maxCharacters: 2000 },
      { name: "waitForHidden", kind: "selector", maxCharacters: 512 },
      { name: "waitTimeout", kind: "integer", min: 100, max: 30_000, implied: 10_000 },
      { name: "onWaitTimeout", kind: "choice", values: ["fail", "capture"], implied: "fail" },
      { name: "blockCookieBanners", kind: "flag", default: false },
      { name: "blockAds", kind: "flag", default: false },
      { name: "blockTrackers", kind: "flag", default: false },
      { name: "blockUrls", kind: "text", maxCharacters: 2048 },
      { name: "blockResources", kind: "text", maxCharacters: 128 },
      { name: "css", kind: "text", maxCharacters: 20_000 },
      { name: "hideSelectors", kind: "selector", maxCharacters: 2048 },
      { name: "removeSelectors", kind: "selector", maxCharacters: 2048 },
      { name: "click", kind: "selector", maxCharacters: 512 },
      { name: "script", kind: "text", maxCharacters: 20_000 },
      { name: "mask", kind: "selector", maxCharacters: 2048 },
      { name: "maskColor", kind: "text", maxCharacters: 64, implied: "#ff00ff" },
      { name: "lazyContent", kind: "choice", values: ["auto", "scroll", "off"], implied: "auto" },
      { name: "stabilize", kind: "flag", default: false },
      { name: "expandScrollers", kind: "flag", default: false },
      { name: "cache", kind: "flag", default: true },
      { name: "cacheTtl", kind: "integer", min: 60, max: 2_592_000, implied: 86_400 },
      { name: "storeTo", kind: "text", maxCharacters: 63 },
      { name: "storeKey", kind: "text", maxCharacters: 512, implied: "{host}/{date}/{id}.{ext}" },
    ]);
  });

  it("has the published ranges, values and defaults of PDFs", () => {
    const papers = ["letter", "legal", "tabloid", "ledger", "a0", "a1", "a2", "a3", "a4", "a5", "a6"];
    expect(Object.values(PARAMETERS.pdf).map(contractOf)).toEqual([
      { name: "url", kind: "url" },
      { name: "pdf", kind: "flag", default: false },
      { name: "colorScheme", kind: "choice", values: ["light", "dark"], implied: "light" },
      { name: "reducedMotion", kind: "flag", default: false },
      { name: "forcedColors", kind: "flag", default: false },
      { name: "mediaType", kind: "choice", values: ["screen", "print"], implied: "print" },
      { name: "locale", kind: "text", maxCharacters: 64 },
      { name: "timeZone", kind: "text", maxCharacters: 64 },
      { name: "latitude", kind: "decimal", min: -90, max: 90 },
      { name: "longitude", kind: "decimal", min: -180, max: 180 },
      { name: "accuracy", kind: "decimal", min: 1, max: 10_000, implied: 10 },
      { name: "userAgent", kind: "text", maxCharacters: 512 },
      { name: "javascript", kind: "flag", default: true },
      { name: "headers", kind: "json", maxCharacters: 4096 },
      { name: "cookies", kind: "json", maxCharacters: 16_384 },
      { name: "basicAuth", kind: "text", maxCharacters: 256 },
      { name: "waitForFunction", kind: "text", maxCharacters: 2000 },
      { name: "waitForHidden", kind: "selector", maxCharacters: 512 },
      { name: "waitTimeout", kind: "integer", min: 100, max: 30_000, implied: 10_000 },
      { name: "onWaitTimeout", kind: "choice", values: ["fail", "capture"], implied: "fail" },
      { name: "blockCookieBanners", kind: "flag", default: false },
      { name: "blockAds", kind: "flag", default: false },
      { name: "blockTrackers", kind: "flag", default: false },
      { name: "blockUrls", kind: "text", maxCharacters: 2048 },
      { name: "blockResources", kind: "text", maxCharacters: 128 },
      { name: "css", kind: "text", maxCharacters: 20_000 },
      { name: "hideSelectors", kind: "selector", maxCharacters: 2048 },
      { name: "removeSelectors", kind: "selector", maxCharacters: 2048 },
      { name: "click", kind: "selector", maxCharacters: 512 },
      { name: "script", kind: "text", maxCharacters: 20_000 },
      { name: "lazyContent", kind: "choice", values: ["auto", "scroll", "off"], implied: "auto" },
      { name: "stabilize", kind: "flag", default: false },
      { name: "expandScrollers", kind: "flag", default: false },
      { name: "landscape", kind: "flag", default: false },
      { name: "paperFormat", kind: "choice", values: papers, default: "a4" },
      { name: "width", kind: "decimal", min: 1, max: 10_000 },
      { name: "height", kind: "decimal", min: 1, max: 10_000 },
      { name: "marginTop", kind: "decimal", min: 0, max: 1000 },
      { name: "marginRight", kind: "decimal", min: 0, max: 1000 },
      { name: "marginBottom", kind: "decimal", min: 0, max: 1000 },
      { name: "marginLeft", kind: "decimal", min: 0, max: 1000 },
      { name: "marginUnit", kind: "choice", values: ["mm", "cm", "in", "px"], default: "mm" },
      { name: "scale", kind: "decimal", min: 0.1, max: 2, default: 1 },
      { name: "singlePage", kind: "flag", default: false },
      { name: "cssPageSize", kind: "flag", default: false },
      { name: "headerHtml", kind: "text", maxCharacters: 20_000 },
      { name: "footerHtml", kind: "text", maxCharacters: 20_000 },
      { name: "pageRanges", kind: "text", maxCharacters: 100 },
      { name: "printBackground", kind: "flag", default: true },
      { name: "outline", kind: "flag", default: false },
      { name: "tagged", kind: "flag", default: false },
      { name: "pdfTitle", kind: "text", maxCharacters: 500 },
      { name: "pdfAuthor", kind: "text", maxCharacters: 500 },
      { name: "pdfSubject", kind: "text", maxCharacters: 500 },
      { name: "pdfKeywords", kind: "text", maxCharacters: 500 },
      { name: "cache", kind: "flag", default: true },
      { name: "cacheTtl", kind: "integer", min: 60, max: 2_592_000, implied: 86_400 },
      { name: "storeTo", kind: "text", maxCharacters: 63 },
      { name: "storeKey", kind: "text", maxCharacters: 512, implied: "{host}/{date}/{id}.{ext}" },
    ]);
  });

  it.each(PARAMETER_TABLE)("refers only to parameters of the same modes: $name ($modes)", (row) => {
    const { together = [], excludes = [], excludesSent = [], requires = [], needs, modes } = row;
    const others = [
      ...together,
      ...excludes.flatMap(({ names }) => names),
      ...excludesSent,
      ...requires,
      ...(needs ? [needs.name, ...(needs.unless === undefined ? [] : [needs.unless])] : []),
    ];
    for (const mode of modes) expect(Object.keys(PARAMETERS[mode])).toEqual(expect.arrayContaining(others));
  });

  it("selects the pdf mode only if the parameter pdf is true", () => {
    expect(modeOf({ pdf: true })).toBe("pdf");
    for (const pdf of [false, undefined, "true", 1]) expect(modeOf({ pdf })).toBe("screenshot");
  });
});

describe("the message for an invalid parameter", () => {
  it.each([
    [PARAMETERS.screenshot.fullPage, "must be true or false"],
    [PARAMETERS.screenshot.pdf, "must be true or false"],
    [PARAMETERS.screenshot.delay, "must be an integer from 0 to 10000"],
    [PARAMETERS.screenshot.width, "must be a number from 1 to 10000"],
    [PARAMETERS.pdf.scale, "must be a number from 0.1 to 2"],
    [PARAMETERS.screenshot.format, "must be one of png, jpeg, webp"],
    [PARAMETERS.screenshot.url, "must be an absolute URL that starts with http:// or https://"],
    [
      PARAMETERS.screenshot.selector,
      "must be a CSS selector of 1 to 512 characters without single quotes, backslashes or control characters",
    ],
    [
      PARAMETERS.screenshot.hideSelectors,
      "must be a CSS selector of 1 to 2048 characters without control characters",
    ],
    [
      PARAMETERS.screenshot.blockResources,
      "must be a comma-separated list, such as image,font, of image, media, font, stylesheet, script, xhr, websocket, 1 to 128 characters long",
    ],
    [
      PARAMETERS.screenshot.blockUrls,
      "must be a comma-separated list of up to 20 hosts, *.hosts or URL patterns; a path needs a pattern that starts with * or a scheme, as in *example.com/path*, 1 to 2048 characters long",
    ],
  ])("describes the valid values: $1", (field, message) => {
    expect(fieldMessage(field)).toBe(message);
  });

  it.each([
    ["a[href='/']", '; send a[href="/"]'],
    ["a[href='\\']", ""],
    [`a[href='/'][title="x"]`, ""],
    ["'".repeat(513), ""],
  ])("suggests a selector with double quotes, where possible: $0", (selector, replacement) => {
    expect(fieldMessage(PARAMETERS.screenshot.selector, selector)).toBe(
      `must be a CSS selector of 1 to 512 characters without single quotes, backslashes or control characters${replacement}`,
    );
  });

  it.each([
    ["avif", "; send output=avif"],
    ["pdf", "; send pdf=true"],
    ["constructor", ""],
    [["avif"], ""],
  ])("suggests the parameter that accepts the value, if any: %j", (value, replacement) => {
    expect(fieldMessage(PARAMETERS.screenshot.format, value)).toBe(
      `must be one of png, jpeg, webp${replacement}`,
    );
  });

  it.each([
    ["landscape", "screenshot", "is for PDFs only; add pdf=true or remove it"],
    ["fullPage", "pdf", "is for screenshots only; remove it or pdf=true"],
    ["full_page", "screenshot", "is not a parameter; did you mean fullPage?"],
    ["paper-format", "screenshot", "is not a parameter; did you mean paperFormat?"],
    ["full", "screenshot", "is not a parameter; did you mean fullPage?"],
    ["clip", "screenshot", "is not a parameter; did you mean clipX?"],
    ["foo", "screenshot", "is not a parameter"],
    ["fullPage[x]", "screenshot", "is not a parameter; did you mean fullPage?"],
    ["__proto__", "screenshot", "is not a parameter"],
    ["constructor", "pdf", "is not a parameter"],
  ] as const)("explains an unknown name: %s in a %s %s", (name, mode, message) => {
    expect(explainUnknownName(name, mode)).toBe(message);
  });
});

describe("a string", () => {
  const strict = { maxCharacters: 512, isStrict: true };
  const lenient = { maxCharacters: 512 };

  it.each([
    ["double quotes", 'a[href="x"]'],
    ["512 characters", "x".repeat(512)],
    ["512 emoji", "\u{1f600}".repeat(512)],
  ])("with %s is a selector", (_, text) => {
    expect([strict, lenient].map((row) => isSelector(row, text))).toEqual([true, true]);
  });

  it.each([
    ["no characters", ""],
    ["513 characters", "x".repeat(513)],
    ["a tab", "a\tb"],
    ["a line break", "a\nb"],
    ["a DELETE character", "a\u007fb"],
    ["a C1 control character", "a\u0085b"],
    ["a lone surrogate", "\ud83d"],
  ])("with %s is not a selector", (_, text) => {
    expect([strict, lenient].map((row) => isSelector(row, text))).toEqual([false, false]);
  });

  it.each(["a[href='x']", ".md\\:flex"])(
    "is a selector, but not allowed in a strict parameter: %j",
    (text) => {
      expect([strict, lenient].map((row) => isSelector(row, text))).toEqual([false, true]);
    },
  );

  it.each(["https://example.com", "HTTP://EXAMPLE.COM/a?b#c", "https://b\u00fccher.example/\u6f22"])(
    "is a target URL: %j",
    (text) => {
      expect(parseTargetUrl(text)?.href).toMatch(/^https?:\/\/[a-z0-9.-]+\//);
    },
  );

  it.each([
    ["https://example.com/a b?q=c d#e f", "https://example.com/a%20b?q=c%20d#e%20f"],
    [" https://example.com/ ", "https://example.com/"],
    ["https://example.com/?a=\\b#\\", "https://example.com/?a=\\b#\\"],
  ])("is normalized to a target URL: %j becomes %s", (text, href) => {
    expect(parseTargetUrl(text)?.href).toBe(href);
    expect(encodeSpaces(text)).toBe(href);
  });

  it("is too long for a URL if it exceeds 2,048 characters with spaces encoded as %20", () => {
    const url = `https://example.com/?q=${"a ".repeat(506)}`;
    const [exact, over] = [`${url}b`, `${url}bc`];
    expect([exact, over].map((text) => encodeSpaces(text).length)).toEqual([2048, 2049]);
    expect([exact, over].map(isTooLongUrl)).toEqual([false, true]);
  });

  it("is too long for a URL with 3,000 trailing non-breaking spaces, which are not trimmed", () => {
    const text = `https://example.com/${"\u00a0".repeat(3000)}`;
    expect(parseTargetUrl(text)?.href).toHaveLength(20 + 3 * 2 * 3000);
    expect(isTooLongUrl(text)).toBe(true);
  });

  it.each([
    "",
    "example.com",
    "ftp://example.com/",
    "https:/example.com",
    "https://",
    "https://a b/",
    "https:\\\\a",
    "https://example.com/a\tb",
    "https://example.com/a\nb",
    "https://example.com/a\\b",
  ])("is not a target URL: %j", (text) => {
    expect(parseTargetUrl(text)).toBeNull();
  });
});
