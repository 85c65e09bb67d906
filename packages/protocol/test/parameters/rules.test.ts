import { describe, expect, it } from "vitest";
import { checkRules, ProblemList, paperSizeInches, type Mode } from "../../src/index.ts";

function findProblems(mode: Mode, values: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  checkRules(mode, values, (name, message) => (problems[name] ??= []).push(message));
  return problems;
}

const CLIP = { clipX: 0, clipY: 0, clipWidth: 1, clipHeight: 1 };
const REGION = "cannot be combined with a clip region";

describe("rules across parameters", () => {
  it.each([
    ["screenshot", { width: 5 }, { height: ["must be sent together with width"] }],
    [
      "screenshot",
      { clipX: 0, clipHeight: 1 },
      {
        clipY: ["must be sent together with clipX, clipHeight"],
        clipWidth: ["must be sent together with clipX, clipHeight"],
      },
    ],
    ["screenshot", { cache: false, cacheTtl: 60 }, { cacheTtl: ["cannot be combined with cache=false"] }],
    [
      "screenshot",
      { selector: "a", fullPage: true, ...CLIP },
      { selector: ["cannot be combined with fullPage", REGION], fullPage: [REGION] },
    ],
    [
      "pdf",
      { basicAuth: "ada:s3cr3t", headers: { Authorization: "Bearer s3cr3t" } },
      { basicAuth: ["cannot be combined with an Authorization field in headers"] },
    ],
    ["screenshot", { quality: 80, format: "png" }, { quality: ["requires a lossy format: jpeg or webp"] }],
    [
      "screenshot",
      { omitBackground: true, format: "jpeg" },
      { omitBackground: ["requires a format with transparency: png or webp"] },
    ],
    [
      "screenshot",
      { width: 9000, height: 100, scale: 2, format: "webp" },
      { width: ["times scale must be at most 16383 pixels for format=webp"] },
    ],
    [
      "screenshot",
      { width: 10_000, height: 10_000, scale: 2, format: "png" },
      { scale: ["produces an image of more than 100000000 pixels; use a smaller size or scale"] },
    ],
    [
      "screenshot",
      { width: 9000, height: 100, scale: 2, format: "png", output: "avif" },
      { width: ["times scale must be at most 16384 pixels for output=avif"] },
    ],
    [
      "screenshot",
      { width: 5000, height: 4000, scale: 1, format: "png", output: "avif" },
      { width: ["produces an image of more than 16777216 pixels; use a smaller size or scale"] },
    ],
    [
      "screenshot",
      { scale: 1, format: "webp", resizeFit: "contain", resizeWidth: 4097, resizeHeight: 4096 },
      { resizeWidth: ["produces an image of more than 16777216 pixels"] },
    ],
    [
      "screenshot",
      { device: "iphone-15", width: 800, height: 600 },
      { device: ["cannot be combined with width and height"] },
    ],
    [
      "screenshot",
      { accuracy: 10, padding: 10, fullPageMaxHeight: 500, expandScrollers: true, maskColor: "red" },
      {
        accuracy: ["requires latitude"],
        padding: ["requires selector"],
        fullPageMaxHeight: ["requires fullPage"],
        expandScrollers: ["requires fullPage"],
        maskColor: ["requires mask"],
      },
    ],
    ["pdf", { latitude: 10 }, { longitude: ["must be sent together with latitude"] }],
    [
      "screenshot",
      { resizeFit: "cover", resizePosition: "top" },
      {
        resizeFit: ["requires resizeWidth or resizeHeight"],
        resizePosition: ["requires resizeWidth or resizeHeight"],
      },
    ],
    [
      "screenshot",
      { resizeWidth: 100, resizePosition: "top" },
      { resizePosition: ["requires resizeFit cover or contain"] },
    ],
    [
      "screenshot",
      { resizeWidth: 100, resizeFit: "inside", resizePosition: "center" },
      { resizePosition: ["requires resizeFit cover or contain"] },
    ],
    [
      "pdf",
      { marginLeft: 1, marginTop: 1, marginRight: 1 },
      { marginBottom: ["must be sent together with marginTop, marginRight, marginLeft"] },
    ],
    [
      "pdf",
      { headerHtml: "x", footerHtml: "y", marginTop: 0, marginRight: 0, marginBottom: 9, marginLeft: 0 },
      { headerHtml: ["requires a marginTop above 0; send all four margins, with marginTop=20 for example"] },
    ],
    [
      "pdf",
      { footerHtml: "y" },
      {
        footerHtml: [
          "requires a marginBottom above 0; send all four margins, with marginBottom=20 for example",
        ],
      },
    ],
    [
      "pdf",
      { singlePage: true, landscape: true, cssPageSize: true, pageRanges: "1" },
      {
        singlePage: [
          "cannot be combined with landscape",
          "cannot be combined with cssPageSize",
          "cannot be combined with pageRanges",
        ],
      },
    ],
  ] as const)("report the problems of a %s: %o", (mode, values, expected) => {
    expect(findProblems(mode, values)).toEqual(expected);
  });

  it.each([
    ["screenshot", { fullPage: false, selector: "a" }],
    ["screenshot", { fullPage: false, ...CLIP, format: "png", scale: 3 }],
    ["screenshot", { width: 10_000, height: 10_000, scale: 1, format: "png" }],
    ["screenshot", { width: 9000, height: 100, scale: 2, format: "webp", resizeWidth: 100 }],
    ["screenshot", { width: 9000, height: 9000, scale: 1, format: "png", output: "avif", resizeHeight: 100 }],
    ["screenshot", { resizeHeight: 100, resizeFit: "contain", resizePosition: "bottom" }],
    ["screenshot", { scale: 1, format: "webp", resizeFit: "contain", resizeWidth: 4096, resizeHeight: 4096 }],
    ["screenshot", { scale: 1, format: "webp", resizeWidth: 10_000, resizeHeight: 10_000 }],
    ["screenshot", { quality: 80, format: "png", output: "avif", omitBackground: true }],
    ["screenshot", { width: "x", height: null, scale: Number.NaN }],
    ["pdf", { marginTop: "x", marginRight: 1, marginBottom: 1, marginLeft: 1, paperFormat: "a7" }],
  ] as const)("accept a %s: %o", (mode, values) => {
    expect(findProblems(mode, values)).toEqual({});
  });

  it.each([{ scale: 2 }, { mobile: true }, { touch: true }, { userAgent: "Bot/1" }])(
    "report a device that is combined with %o",
    (values) => {
      expect(findProblems("screenshot", { device: "iphone-15", scale: 1, ...values })).toEqual({
        device: ["cannot be combined with scale, mobile, touch or userAgent"],
      });
    },
  );

  it("compare margins with the size of the paper after rotation", () => {
    const paper = { paperFormat: "a4", marginUnit: "mm" };
    const margins = { marginTop: 110, marginRight: 0, marginBottom: 110, marginLeft: 0 };
    expect(findProblems("pdf", { ...paper, ...margins, landscape: false })).toEqual({});
    expect(findProblems("pdf", { ...paper, ...margins, landscape: true })).toEqual({
      marginTop: ["plus marginBottom must be less than the paper height"],
    });
  });
});

describe("paperSizeInches", () => {
  it.each([
    [{ paperFormat: "letter", landscape: false }, 8.5, 11],
    [{ paperFormat: "letter", landscape: true }, 11, 8.5],
    [{ paperFormat: "ledger", landscape: false }, 17, 11],
    [{ paperFormat: "a4", landscape: false, width: 25.4, height: 50.8 }, 1, 2],
    [{ paperFormat: "a4", landscape: true, width: 25.4, height: 50.8 }, 2, 1],
  ] as const)("returns the size of the paper: %o, %d x %d", (request, width, height) => {
    expect(paperSizeInches({ marginUnit: "mm", ...request })).toEqual({ width, height });
  });
});

describe("ProblemList", () => {
  it("returns null if there is no problem", () => {
    expect(new ProblemList().toFailure()).toBeNull();
  });

  it("returns invalid_url only if url is the only invalid parameter", () => {
    const problems = new ProblemList();
    problems.add("url", "is odd");
    problems.add("url", "is odd");
    expect(problems.toFailure()).toEqual({
      code: "invalid_url",
      message: "url is odd",
      errors: { url: ["is odd"] },
    });
    problems.add("__proto__", "is odder");
    expect(problems.toFailure()?.code).toBe("validation_failed");
    expect(problems.toFailure()?.message).toBe("url is odd (1 more invalid)");
    expect(Object.entries(problems.toFailure()?.errors ?? {})).toEqual([
      ["url", ["is odd"]],
      ["__proto__", ["is odder"]],
    ]);
  });

  it("names at most 50 parameters", () => {
    const problems = new ProblemList();
    for (let index = 0; index < 60; index += 1) problems.add(`p${index}`, "is odd");
    expect(Object.keys(problems.toFailure()?.errors ?? {})).toHaveLength(50);
  });

  it.each(["\ud83d", `${"a".repeat(63)}\u{1f600}`, `${"a".repeat(127)}\u{1f600}`])(
    "names parameters in well-formed text, even if a name is malformed or truncated: %j",
    (name) => {
      const problems = new ProblemList();
      problems.add(name, "is odd");
      const { message, errors } = problems.toFailure() ?? { message: "\ud83d", errors: {} };
      expect([message, ...Object.keys(errors)].filter((text) => !text.isWellFormed())).toEqual([]);
    },
  );
});
