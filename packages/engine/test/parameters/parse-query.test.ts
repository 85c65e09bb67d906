import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isSnapError, type SnapError } from "../../src/errors.ts";
import { parseParameters, parseQuery } from "../../src/parameters/parse.ts";

const PAGE = "url=https%3A%2F%2Fexample.com%2F";

function errorOf(query: string): SnapError {
  try {
    parseQuery(new URLSearchParams(query));
  } catch (error) {
    if (isSnapError(error)) return error;
    throw error;
  }
  throw new Error(`accepted: ${query}`);
}

function parse(query: string): Record<string, unknown> {
  return parseQuery(new URLSearchParams(query));
}

describe("parseQuery", () => {
  it("fills in the defaults of a screenshot", () => {
    expect(parse(PAGE)).toEqual({
      url: "https://example.com/",
      pdf: false,
      fullPage: false,
      format: "png",
      scale: 1,
      omitBackground: false,
      mobile: false,
      touch: false,
      reducedMotion: false,
      forcedColors: false,
      javascript: true,
      blockCookieBanners: false,
      blockAds: false,
      blockTrackers: false,
      stabilize: false,
      expandScrollers: false,
      cache: true,
    });
  });

  it("fills in the defaults of a PDF", () => {
    expect(parse(`${PAGE}&pdf=1`)).toEqual({
      url: "https://example.com/",
      pdf: true,
      landscape: false,
      paperFormat: "a4",
      marginUnit: "mm",
      scale: 1,
      singlePage: false,
      cssPageSize: false,
      printBackground: true,
      outline: false,
      tagged: false,
      reducedMotion: false,
      forcedColors: false,
      javascript: true,
      blockCookieBanners: false,
      blockAds: false,
      blockTrackers: false,
      stabilize: false,
      expandScrollers: false,
      cache: true,
    });
  });
});

describe("valid values", () => {
  const clip = (x: number, width: number): string =>
    `clipX=${x}&clipY=${x}&clipWidth=${width}&clipHeight=${width}`;
  it.each([
    ["pdf=false", { pdf: false }],
    ["pdf=0", { pdf: false }],
    ["fullPage=true", { fullPage: true }],
    ["fullPage=1", { fullPage: true }],
    ["fullPage=false&selector=main", { fullPage: false, selector: "main" }],
    ["format=jpeg&quality=1", { quality: 1 }],
    ["format=webp&quality=100", { quality: 100 }],
    ["output=avif&quality=1", { output: "avif", quality: 1, format: "png" }],
    ["output=avif&omitBackground=1", { omitBackground: true }],
    ["resizeWidth=1&resizeFit=cover&resizePosition=top", { resizeWidth: 1, resizePosition: "top" }],
    ["resizeHeight=10000&resizeFit=inside", { resizeHeight: 10_000 }],
    ["width=1&height=10000", { width: 1, height: 10000 }],
    ["width=800.4&height=599.5", { width: 800, height: 600 }],
    ["scale=3", { scale: 3 }],
    ["delay=0", { delay: 0 }],
    ["delay=10000", { delay: 10000 }],
    [`selector=${encodeURIComponent('a[href="x"]')}`, { selector: 'a[href="x"]' }],
    [`selector=${"x".repeat(512)}`, { selector: "x".repeat(512) }],
    [clip(0, 1), { clipX: 0, clipWidth: 1 }],
    [clip(10000, 10000), { clipX: 10000, clipHeight: 10000 }],
    ["omitBackground=1&format=webp", { omitBackground: true }],
    ["waitForSelector=.ready", { waitForSelector: ".ready" }],
    ["waitUntil=load", { waitUntil: "load" }],
    ["waitUntil=domcontentloaded", { waitUntil: "domcontentloaded" }],
    ["waitUntil=networkidle0", { waitUntil: "networkidle0" }],
    ["waitUntil=networkidle2", { waitUntil: "networkidle2" }],
    ["locale=de-ch", { locale: "de-CH" }],
    ["locale=und", { locale: "und" }],
    ["timeZone=europe/zurich", { timeZone: "Europe/Zurich" }],
    ["cache=0", { cache: false }],
    ["cacheTtl=60", { cacheTtl: 60 }],
    ["cacheTtl=2592000", { cacheTtl: 2592000 }],
    ["pdf=true&landscape=1&paperFormat=letter", { landscape: true, paperFormat: "letter" }],
    ["pdf=true&scale=0.1", { scale: 0.1 }],
    ["pdf=true&scale=2", { scale: 2 }],
    ["pdf=true&width=8.5&height=11&marginUnit=in", { width: 8.5, height: 11, marginUnit: "in" }],
    ["pdf=1&marginTop=148&marginRight=104&marginBottom=148&marginLeft=104", { marginLeft: 104 }],
    ["pdf=1&pageRanges=8-,%203%20,1-3,2", { pageRanges: "1-3,8-" }],
    ["pdf=1&pageRanges=4,1-3,9-10,10-99999", { pageRanges: "1-4,9-99999" }],
    [
      `pdf=1&headerHtml=${"h".repeat(20_000)}&marginTop=1&marginRight=0&marginBottom=0&marginLeft=0`,
      { headerHtml: "h".repeat(20_000) },
    ],
    [`pdf=1&pdfTitle=${"%F0%9F%98%80".repeat(500)}`, { pdfTitle: "😀".repeat(500) }],
    ["pdf=1&singlePage=1&landscape=0", { singlePage: true }],
    ["pdf=true&marginTop=0&marginRight=1.5&marginBottom=0&marginLeft=20", { marginRight: 1.5, marginTop: 0 }],
  ])("are accepted, up to their limits: %s", (query, expected) => {
    expect(parse(`${PAGE}&${query}`)).toMatchObject(expected);
  });

  it.each(["letter", "legal", "tabloid", "ledger", "a0", "a1", "a2", "a3", "a4", "a5", "a6"])(
    "are accepted: paperFormat=%s",
    (paperFormat) => {
      expect(parse(`${PAGE}&pdf=1&paperFormat=${paperFormat}`)).toMatchObject({ paperFormat });
    },
  );

  it("include a URL of 2048 characters, however many bytes it has", () => {
    const url = `https://example.com/${"漢".repeat(2028)}`;
    expect(parse(`url=${encodeURIComponent(url)}`)["url"]).toBe(url);
  });

  it("include a URL whose own escapes are not UTF-8", () => {
    expect(parse("url=https://example.com/caf%25E9")["url"]).toBe("https://example.com/caf%E9");
  });
});

describe("the error for invalid values", () => {
  it.each([
    ["pdf=yes", "pdf"],
    ["fullPage=", "fullPage"],
    ["fullPage=TRUE", "fullPage"],
    ["format=gif", "format"],
    ["format=PNG", "format"],
    ["quality=80", "quality"],
    ["format=jpeg&quality=0", "quality"],
    ["format=jpeg&quality=101", "quality"],
    ["format=jpeg&quality=80.5", "quality"],
    ["format=jpeg&quality=1e1", "quality"],
    ["format=jpeg&quality=0x10", "quality"],
    ["output=png", "output"],
    ["output=avif&format=webp", "output"],
    ["output=avif&format=png", "output"],
    ["output=avif&quality=0", "quality"],
    ["pdf=1&output=avif", "output"],
    ["pdf=1&resizeWidth=100", "resizeWidth"],
    ["resizeWidth=0", "resizeWidth"],
    ["resizeHeight=10001", "resizeHeight"],
    ["resizeFit=cover", "resizeFit"],
    ["resizeWidth=10&resizeFit=fill", "resizeFit"],
    ["resizeWidth=10&resizePosition=top", "resizePosition"],
    ["width=800", "height"],
    ["height=800", "width"],
    ["width=0&height=10", "width"],
    ["width=10&height=10001", "height"],
    ["width=NaN&height=10", "width"],
    ["width=Infinity&height=10", "width"],
    ["scale=0", "scale"],
    ["scale=4", "scale"],
    ["scale=1.5", "scale"],
    ["delay=-1", "delay"],
    ["delay=10001", "delay"],
    ["selector=", "selector"],
    [`selector=${"x".repeat(513)}`, "selector"],
    ["selector=a%27b", "selector"],
    ["selector=a%5Cb", "selector"],
    ["selector=a%0Ab", "selector"],
    ["waitForSelector=a%00b", "waitForSelector"],
    ["waitForSelector=a%27b", "waitForSelector"],
    ["clipX=-1&clipY=0&clipWidth=1&clipHeight=1", "clipX"],
    ["clipX=0&clipY=10001&clipWidth=1&clipHeight=1", "clipY"],
    ["clipX=0&clipY=0&clipWidth=0&clipHeight=1", "clipWidth"],
    ["clipX=0&clipY=0&clipWidth=1&clipHeight=10001", "clipHeight"],
    ["clipX=0.5&clipY=0&clipWidth=1&clipHeight=1", "clipX"],
    ["omitBackground=1&format=jpeg", "omitBackground"],
    ["waitUntil=idle", "waitUntil"],
    ["cache=maybe", "cache"],
    ["cacheTtl=59", "cacheTtl"],
    ["cacheTtl=2592001", "cacheTtl"],
    ["cache=0&cacheTtl=60", "cacheTtl"],
    ["selector=a&fullPage=1", "selector"],
    ["selector=a&clipX=0&clipY=0&clipWidth=1&clipHeight=1", "selector"],
    ["fullPage=1&clipX=0&clipY=0&clipWidth=1&clipHeight=1", "fullPage"],
    ["landscape=1", "landscape"],
    ["paperFormat=a4", "paperFormat"],
    ["marginUnit=mm", "marginUnit"],
    ["pdf=1&fullPage=1", "fullPage"],
    ["pdf=1&format=png", "format"],
    ["pdf=1&delay=5", "delay"],
    ["pdf=1&waitUntil=load", "waitUntil"],
    ["pdf=1&scale=0.05", "scale"],
    ["pdf=1&scale=2.1", "scale"],
    ["pdf=1&scale=3", "scale"],
    ["pdf=1&paperFormat=a7", "paperFormat"],
    ["pdf=1&width=10", "height"],
    ["pdf=1&marginUnit=pt", "marginUnit"],
    ["pdf=1&landscape=yes", "landscape"],
    ["pdf=1&marginTop=0&marginRight=105&marginBottom=0&marginLeft=105", "marginLeft"],
    ["pdf=1&marginTop=150&marginRight=0&marginBottom=147&marginLeft=0", "marginTop"],
    ["pdf=1&landscape=1&marginTop=105&marginRight=0&marginBottom=105&marginLeft=0", "marginTop"],
    ...["0", "3-1", "-2", "1-2-3", "x", "1,", "100000", ",", "1.5"].map((ranges): [string, string] => [
      `pdf=1&pageRanges=${ranges}`,
      "pageRanges",
    ]),
    [`pdf=1&pageRanges=${"1,".repeat(50)}1`, "pageRanges"],
    ["pdf=1&headerHtml=x", "headerHtml"],
    ["pdf=1&footerHtml=x&marginTop=1&marginRight=0&marginBottom=0&marginLeft=0", "footerHtml"],
    ["pdf=1&singlePage=1&pageRanges=1", "singlePage"],
    ["pdf=1&singlePage=1&landscape=1", "singlePage"],
    ["pdf=1&singlePage=1&cssPageSize=1", "singlePage"],
    [`pdf=1&pdfAuthor=${"x".repeat(501)}`, "pdfAuthor"],
    ["outline=1", "outline"],
    ["printBackground=1", "printBackground"],
    ["width=10000&height=10000&scale=2", "scale"],
    ["format=webp&width=9000&height=100&scale=2", "width"],
    ["fulPage=1", "fulPage"],
    ["fullPage[]=1", "fullPage[]"],
    ["fullPage[x]=1", "fullPage[x]"],
    ["format=png&format=png", "format"],
    ["__proto__=1", "__proto__"],
    ["css=@IMPORT url(x)", "css"],
    ["locale=german", "locale"],
    ["locale=POSIX", "locale"],
    ["locale=de_CH", "locale"],
    ["timeZone=Europe/Zuerich", "timeZone"],
    ["constructor=1", "constructor"],
    ["signature=x", "signature"],
    ["=1", ""],
  ])("names the parameter: %s -> %s", (query, name) => {
    const error = errorOf(`${PAGE}&${query}`);
    expect(error.code).toBe("validation_failed");
    expect(error.status).toBe(422);
    expect(Object.keys(error.errors ?? {})).toEqual([name]);
  });

  it("lists the missing margins or clip parameters", () => {
    expect(Object.keys(errorOf(`${PAGE}&pdf=1&marginTop=5&marginLeft=5`).errors ?? {})).toEqual([
      "marginRight",
      "marginBottom",
    ]);
    expect(Object.keys(errorOf(`${PAGE}&clipX=5`).errors ?? {})).toEqual([
      "clipY",
      "clipWidth",
      "clipHeight",
    ]);
  });

  it("lists every problem", () => {
    const error = errorOf(
      "url=nope&quality=0&width=5&delay=-1&selector=a&fullPage=1&landscape=1&wat=1&wat=2",
    );
    expect(Object.keys(error.errors ?? {}).toSorted()).toEqual(
      ["delay", "height", "landscape", "quality", "selector", "url", "wat"].toSorted(),
    );
    expect(error.code).toBe("validation_failed");
  });

  it("names the valid values, and suggests the closest name", () => {
    expect(errorOf(`${PAGE}&format=gif`).errors?.["format"]).toEqual(["must be one of png, jpeg, webp"]);
    for (const [query, message] of [
      ["format=jpg", "must be one of png, jpeg, webp; did you mean jpeg?"],
      ["format=PNG", "must be one of png, jpeg, webp; did you mean png?"],
      [
        "waitUntil=networkidle",
        "must be one of load, domcontentloaded, networkidle0, networkidle2; did you mean networkidle0?",
      ],
      [
        "device=iPhone%2015%20Pro",
        "must be the name of a device, such as iphone-15-pro or pixel-5-landscape, 1 to 64 characters long; did you mean iphone-15-pro?",
      ],
    ] as const)
      expect(Object.values(errorOf(`${PAGE}&${query}`).errors ?? {})).toEqual([[message]]);
    expect(errorOf(`${PAGE}&pdf=1&paperFormat=A4`).errors?.["paperFormat"]?.[0]).toMatch(
      /; did you mean a4\?$/,
    );
    expect(errorOf(`${PAGE}&delay=x`).errors?.["delay"]).toEqual(["must be an integer from 0 to 10000"]);
    expect(errorOf(`${PAGE}&full_page=1`).errors?.["full_page"]?.[0]).toContain("did you mean fullPage?");
    expect(errorOf(`${PAGE}&landscape=1`).errors?.["landscape"]?.[0]).toContain("pdf=true");
  });

  it("is reported without processing overlong text, which could block all requests", () => {
    const url = `https://a.b/${" ".repeat(10_000_000)}x`;
    const cookies = [{ name: "a", value: "b", domain: "a.b" }];
    const parameters = { url, cookies, click: "'".repeat(10_000_000) };
    const replaceAll = vi.spyOn(String.prototype, "replaceAll");
    const canParse = vi.spyOn(URL, "canParse");
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => parseParameters(parameters)).toThrow("url must be at most 2048 characters long");
    const lengths = [...replaceAll.mock.contexts, ...canParse.mock.calls.flat()].map(
      (text) => String(text).length,
    );
    vi.restoreAllMocks();
    expect(lengths.filter((length) => length > 3 * 2048)).toEqual([]);
  });

  it("lists at most 50 problems", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `p${index}=1`).join("&");
    expect(Object.keys(errorOf(`${PAGE}&${many}`).errors ?? {})).toHaveLength(50);
  });
});

describe("the error code", () => {
  it.each([
    ["", "invalid_url"],
    ["url=", "invalid_url"],
    ["url=example.com", "invalid_url"],
    ["url=ftp%3A%2F%2Fexample.com", "invalid_url"],
    ["url=https%3A%2F%2Fuser%3Apass%40example.com%2F", "invalid_url"],
    [`url=https://example.com/${"x".repeat(2029)}`, "invalid_url"],
    ["url=https://example.com/caf%E9", "invalid_url"],
    ["url=http://127.0.0.1/caf%E9", "invalid_url"],
    ["url=nope&quality=80", "validation_failed"],
    [`${PAGE}&${PAGE}`, "validation_failed"],
  ])("for %j is %s", (query, code) => {
    const error = errorOf(query);
    expect(error.code).toBe(code);
    expect(error.errors).toHaveProperty("url");
  });
});

describe("parseParameters", () => {
  it("accepts real booleans and numbers, not text", () => {
    expect(parseParameters({ url: "https://example.com/", pdf: true, scale: 0.5 })).toMatchObject({
      scale: 0.5,
    });
    expect(() => parseParameters({ url: "https://example.com/", fullPage: "true" })).toThrow(/fullPage/);
    expect(() => parseParameters({ url: "https://example.com/", scale: "2" })).toThrow(/scale/);
    expect(() => parseParameters({ url: "https://example.com/", delay: 1.5 })).toThrow(/delay/);
  });
});
