import { isSnapError, parseQuery } from "@snap/engine";
import { describe, expect, it } from "vitest";
import { documentedParameters, type DocumentedParameter } from "../../src/openapi/parameters.ts";

/*
 * Compares the description with the validators: values that it allows are accepted, and values just outside are
 * rejected by parameter name.
 */

const url = "https://example.com/";
type Query = Readonly<Record<string, string>>;

/** Parameters that another one requires to be valid. */
const COMPANIONS: Readonly<Record<string, Query>> = {
  width: { height: "100" },
  height: { width: "100" },
  quality: { format: "jpeg" },
  clipX: { clipY: "0", clipWidth: "1", clipHeight: "1" },
  clipY: { clipX: "0", clipWidth: "1", clipHeight: "1" },
  clipWidth: { clipX: "0", clipY: "0", clipHeight: "1" },
  clipHeight: { clipX: "0", clipY: "0", clipWidth: "1" },
  latitude: { longitude: "0" },
  longitude: { latitude: "0" },
  accuracy: { latitude: "0", longitude: "0" },
  fullPageMaxHeight: { fullPage: "true" },
  expandScrollers: { fullPage: "true" },
  padding: { selector: "main" },
  resizeFit: { resizeWidth: "100" },
  resizePosition: { resizeWidth: "100", resizeFit: "cover" },
  maskColor: { mask: "img" },
  headerHtml: { marginTop: "10", marginRight: "0", marginBottom: "0", marginLeft: "0" },
  footerHtml: { marginTop: "0", marginRight: "0", marginBottom: "10", marginLeft: "0" },
  // A sheet that is large enough for the widest margin.
  marginTop: { width: "5000", height: "5000", marginRight: "0", marginBottom: "0", marginLeft: "0" },
  marginRight: { width: "5000", height: "5000", marginTop: "0", marginBottom: "0", marginLeft: "0" },
  marginBottom: { width: "5000", height: "5000", marginTop: "0", marginRight: "0", marginLeft: "0" },
  marginLeft: { width: "5000", height: "5000", marginTop: "0", marginRight: "0", marginBottom: "0" },
  storeKey: { storeTo: "archive" },
};

interface Described {
  readonly type: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The invalid parameters of a query. */
function problems(query: Query): string[] {
  try {
    parseQuery(new URLSearchParams(query));
    return [];
  } catch (error) {
    if (!isSnapError(error)) throw error;
    return Object.keys(error.errors ?? {});
  }
}

/** The schema of a parameter in each mode that accepts it. */
function modesOf({ acceptedIn, schema }: DocumentedParameter): [string, Described][] {
  const either = schema["anyOf"] as readonly Described[] | undefined;
  return acceptedIn.map((mode, index) => [mode, either?.[index] ?? (schema as unknown as Described)]);
}

function queryFor(name: string, mode: string, value: string): Query {
  if (mode === "pdf" && name === "expandScrollers") return { url, pdf: "true", [name]: value };
  const base: Query = { url, ...(mode === "pdf" && { pdf: "true" }), ...COMPANIONS[name] };
  return { ...base, [name]: value };
}

/** A structure is JSON text in a query. */
function exampleOf({ example }: DocumentedParameter): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}

function allowed(described: Described): string[] {
  if (described.enum) return [...described.enum];
  if (described.type === "boolean") return ["true", "false", "1", "0"];
  if (described.minimum !== undefined && described.maximum !== undefined)
    return [String(described.minimum), String(described.maximum)];
  return [];
}

function outside(described: Described): string[] {
  if (described.enum || described.type === "boolean") return ["other", "", "TRUE", "2"];
  if (described.minimum === undefined || described.maximum === undefined) return [""];
  const step = described.type === "integer" ? 1 : 0.01;
  const beyond = [described.minimum - step, described.maximum + step].map((value) => value.toFixed(2));
  return [...beyond.map((value) => String(Number(value))), "x", "", ...(step === 1 ? ["1.5"] : [])];
}

const cases = documentedParameters().flatMap((parameter) =>
  modesOf(parameter).map(([mode, described]) => ({ name: parameter.name, mode, described, parameter })),
);

describe("documented parameters", () => {
  it("are those in the specification, each once", () => {
    const table = documentedParameters().map(({ name, required, acceptedIn }) => [
      name,
      required,
      acceptedIn.join(),
    ]);
    expect(table.toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))).toEqual([
      ["accuracy", false, "screenshot,pdf"],
      ["basicAuth", false, "screenshot,pdf"],
      ["blockAds", false, "screenshot,pdf"],
      ["blockCookieBanners", false, "screenshot,pdf"],
      ["blockResources", false, "screenshot,pdf"],
      ["blockTrackers", false, "screenshot,pdf"],
      ["blockUrls", false, "screenshot,pdf"],
      ["cache", false, "screenshot,pdf"],
      ["cacheTtl", false, "screenshot,pdf"],
      ["click", false, "screenshot,pdf"],
      ["clipHeight", false, "screenshot"],
      ["clipWidth", false, "screenshot"],
      ["clipX", false, "screenshot"],
      ["clipY", false, "screenshot"],
      ["colorScheme", false, "screenshot,pdf"],
      ["cookies", false, "screenshot,pdf"],
      ["css", false, "screenshot,pdf"],
      ["cssPageSize", false, "pdf"],
      ["delay", false, "screenshot"],
      ["device", false, "screenshot"],
      ["expandScrollers", false, "screenshot,pdf"],
      ["footerHtml", false, "pdf"],
      ["forcedColors", false, "screenshot,pdf"],
      ["format", false, "screenshot"],
      ["fullPage", false, "screenshot"],
      ["fullPageMaxHeight", false, "screenshot"],
      ["headerHtml", false, "pdf"],
      ["headers", false, "screenshot,pdf"],
      ["height", false, "screenshot,pdf"],
      ["hideSelectors", false, "screenshot,pdf"],
      ["javascript", false, "screenshot,pdf"],
      ["landscape", false, "pdf"],
      ["latitude", false, "screenshot,pdf"],
      ["lazyContent", false, "screenshot,pdf"],
      ["locale", false, "screenshot,pdf"],
      ["longitude", false, "screenshot,pdf"],
      ["marginBottom", false, "pdf"],
      ["marginLeft", false, "pdf"],
      ["marginRight", false, "pdf"],
      ["marginTop", false, "pdf"],
      ["marginUnit", false, "pdf"],
      ["mask", false, "screenshot"],
      ["maskColor", false, "screenshot"],
      ["mediaType", false, "screenshot,pdf"],
      ["mobile", false, "screenshot"],
      ["omitBackground", false, "screenshot"],
      ["onWaitTimeout", false, "screenshot,pdf"],
      ["outline", false, "pdf"],
      ["output", false, "screenshot"],
      ["padding", false, "screenshot"],
      ["pageRanges", false, "pdf"],
      ["paperFormat", false, "pdf"],
      ["pdf", false, "screenshot,pdf"],
      ["pdfAuthor", false, "pdf"],
      ["pdfKeywords", false, "pdf"],
      ["pdfSubject", false, "pdf"],
      ["pdfTitle", false, "pdf"],
      ["printBackground", false, "pdf"],
      ["quality", false, "screenshot"],
      ["reducedMotion", false, "screenshot,pdf"],
      ["removeSelectors", false, "screenshot,pdf"],
      ["resizeFit", false, "screenshot"],
      ["resizeHeight", false, "screenshot"],
      ["resizePosition", false, "screenshot"],
      ["resizeWidth", false, "screenshot"],
      ["scale", false, "screenshot,pdf"],
      ["script", false, "screenshot,pdf"],
      ["selector", false, "screenshot"],
      ["singlePage", false, "pdf"],
      ["stabilize", false, "screenshot,pdf"],
      ["storeKey", false, "screenshot,pdf"],
      ["storeTo", false, "screenshot,pdf"],
      ["tagged", false, "pdf"],
      ["timeZone", false, "screenshot,pdf"],
      ["touch", false, "screenshot"],
      ["url", true, "screenshot,pdf"],
      ["userAgent", false, "screenshot,pdf"],
      ["waitForFunction", false, "screenshot,pdf"],
      ["waitForHidden", false, "screenshot,pdf"],
      ["waitForSelector", false, "screenshot"],
      ["waitTimeout", false, "screenshot,pdf"],
      ["waitUntil", false, "screenshot"],
      ["width", false, "screenshot,pdf"],
    ]);
  });

  it("have the specified defaults", () => {
    const defaults = documentedParameters().flatMap(({ name, schema }) =>
      "default" in schema ? [[name, schema["default"]]] : [],
    );
    expect(Object.fromEntries(defaults)).toEqual({
      pdf: false,
      fullPage: false,
      landscape: false,
      format: "png",
      paperFormat: "a4",
      marginUnit: "mm",
      scale: 1,
      omitBackground: false,
      waitUntil: "networkidle2",
      cache: true,
      cacheTtl: 86400,
      mobile: false,
      touch: false,
      colorScheme: "light",
      reducedMotion: false,
      forcedColors: false,
      accuracy: 10,
      javascript: true,
      padding: 0,
      resizeFit: "inside",
      resizePosition: "center",
      waitTimeout: 10000,
      onWaitTimeout: "fail",
      blockCookieBanners: false,
      blockAds: false,
      blockTrackers: false,
      maskColor: "#ff00ff",
      lazyContent: "auto",
      stabilize: false,
      expandScrollers: false,
      singlePage: false,
      cssPageSize: false,
      printBackground: true,
      outline: false,
      tagged: false,
      storeKey: "{host}/{date}/{id}.{ext}",
    });
  });

  it("have the specified ranges", () => {
    const ranges = cases.flatMap(({ name, mode, described: { type, minimum, maximum } }) =>
      minimum === undefined ? [] : [[`${name} ${mode}`, [type, minimum, maximum]]],
    );
    expect(Object.fromEntries(ranges)).toEqual({
      "cacheTtl screenshot": ["integer", 60, 2592000],
      "cacheTtl pdf": ["integer", 60, 2592000],
      "quality screenshot": ["integer", 1, 100],
      "width screenshot": ["number", 1, 10000],
      "width pdf": ["number", 1, 10000],
      "height screenshot": ["number", 1, 10000],
      "height pdf": ["number", 1, 10000],
      "scale screenshot": ["integer", 1, 3],
      "scale pdf": ["number", 0.1, 2],
      "delay screenshot": ["integer", 0, 10000],
      "clipX screenshot": ["integer", 0, 10000],
      "clipY screenshot": ["integer", 0, 10000],
      "clipWidth screenshot": ["integer", 1, 10000],
      "clipHeight screenshot": ["integer", 1, 10000],
      "marginTop pdf": ["number", 0, 1000],
      "marginRight pdf": ["number", 0, 1000],
      "marginBottom pdf": ["number", 0, 1000],
      "marginLeft pdf": ["number", 0, 1000],
      "latitude screenshot": ["number", -90, 90],
      "latitude pdf": ["number", -90, 90],
      "longitude screenshot": ["number", -180, 180],
      "longitude pdf": ["number", -180, 180],
      "accuracy screenshot": ["number", 1, 10000],
      "accuracy pdf": ["number", 1, 10000],
      "fullPageMaxHeight screenshot": ["integer", 100, 40000],
      "padding screenshot": ["integer", 0, 500],
      "resizeWidth screenshot": ["integer", 1, 10000],
      "resizeHeight screenshot": ["integer", 1, 10000],
      "waitTimeout screenshot": ["integer", 100, 30000],
      "waitTimeout pdf": ["integer", 100, 30000],
    });
  });

  it.each(cases)("$name is accepted in $mode mode within its range", ({ name, mode, described }) => {
    const refused = allowed(described).filter((value) => problems(queryFor(name, mode, value)).length > 0);
    expect(refused).toEqual([]);
  });

  it.each(cases)("the example of $name is accepted", ({ name, mode, parameter }) => {
    expect(parameter.example).toBeDefined();
    expect(parameter.description).not.toBe("");
    expect(problems(queryFor(name, mode, exampleOf(parameter)))).toEqual([]);
  });

  it.each(cases)("$name is rejected in $mode mode outside its range", ({ name, mode, described }) => {
    const accepted = outside(described).filter(
      (value) => !problems(queryFor(name, mode, value)).includes(name),
    );
    expect(accepted).toEqual([]);
  });

  it.each(cases.filter(({ parameter }) => parameter.acceptedIn.length === 1))(
    "$name is rejected in the other mode",
    ({ name, mode, parameter }) => {
      const other = mode === "pdf" ? "screenshot" : "pdf";
      const query: Query = {
        url,
        ...(other === "pdf" && { pdf: "true" }),
        [name]: exampleOf(parameter),
      };
      expect(problems(query)).toContain(name);
      expect(parameter.description).toMatch(mode === "pdf" ? /^PDFs only\. / : /^Screenshots only\. /);
    },
  );

  it("have the specified maximum lengths", () => {
    const lengths = cases.flatMap(({ name, described: { maxLength } }) =>
      maxLength === undefined ? [] : [[name, maxLength]],
    );
    expect(Object.fromEntries(lengths)).toEqual({
      url: 2048,
      device: 64,
      locale: 64,
      timeZone: 64,
      userAgent: 512,
      basicAuth: 256,
      selector: 512,
      waitForSelector: 512,
      waitForFunction: 2000,
      waitForHidden: 512,
      blockUrls: 2048,
      blockResources: 128,
      css: 20000,
      hideSelectors: 2048,
      removeSelectors: 2048,
      click: 512,
      script: 20000,
      mask: 2048,
      maskColor: 64,
      headerHtml: 20_000,
      footerHtml: 20_000,
      pageRanges: 100,
      pdfTitle: 500,
      pdfAuthor: 500,
      pdfSubject: 500,
      pdfKeywords: 500,
      storeTo: 63,
      storeKey: 512,
    });
  });

  // any text is valid for these, up to their length
  const texts = new Set(
    "url userAgent selector waitForSelector waitForFunction waitForHidden css hideSelectors removeSelectors click script mask headerHtml footerHtml pdfTitle pdfAuthor pdfSubject pdfKeywords storeTo storeKey".split(
      " ",
    ),
  );
  it.each(cases.filter(({ name }) => texts.has(name)))(
    "$name ($mode) is accepted up to the documented length",
    ({ name, mode, described: { maxLength = 0, pattern = "" } }) => {
      const start = name === "url" ? url : "";
      const longest = start + "a".repeat(maxLength - start.length);
      expect(new RegExp(pattern, "u").test(longest)).toBe(true);
      expect(problems(queryFor(name, mode, longest))).toEqual([]);
      expect(problems(queryFor(name, mode, `${longest}a`))).toEqual([name]);
    },
  );

  it.each([
    ["device", "iphone-99"],
    ["locale", "de_CH!"],
    ["timeZone", "Mars/Olympus"],
    ["timeZone", "+02:00"],
    ["userAgent", "Bot\n1"],
    ["headers", '{"Host":"example.com"}'],
    ["headers", '{"X-A":"1","x-a":"2"}'],
    ["headers", "{}"],
    ["headers", "text"],
    ["headers", `{"X-A":"${"x".repeat(4096)}"}`],
    ["cookies", '[{"name":"a"}]'],
    ["cookies", '[{"name":"a","value":"b;c"}]'],
    ["cookies", '[{"name":"a","value":"b","other":1}]'],
    ["cookies", '[{"name":"a","value":"b","domain":"example.org"}]'],
    ["basicAuth", "user"],
    ["blockUrls", "*"],
    ["blockUrls", Array.from({ length: 21 }, (_, index) => `host${index}.example`).join()],
    ["blockResources", "image,frame"],
    ["maskColor", "notacolor"],
  ])("%s rejects %s", (name, value) => {
    expect(problems(queryFor(name, "screenshot", value))).toEqual([name]);
  });

  it.each([
    ["headerHtml", '<img src="https://example.com/logo.png">'],
    ["footerHtml", "<script>1</script>"],
    ["pageRanges", "0"],
    ["pageRanges", "3-1"],
    ["pageRanges", "-2"],
  ])("%s rejects %s", (name, value) => {
    expect(problems(queryFor(name, "pdf", value))).toEqual([name]);
  });

  it.each([
    ["device", { width: "800", height: "600" }],
    ["device", { scale: "2" }],
    ["device", { userAgent: "Bot/1" }],
    ["device", { touch: "1" }],
  ])("%s cannot be combined with %j", (name, query) => {
    expect(problems({ ...queryFor(name, "screenshot", "iphone-15"), ...query })).toEqual([name]);
  });

  it.each([
    ["accuracy", "10"],
    ["latitude", "10"],
    ["padding", "10"],
    ["fullPageMaxHeight", "500"],
    ["resizeFit", "cover"],
    ["resizePosition", "top"],
    ["expandScrollers", "1"],
    ["maskColor", "red"],
  ])("%s requires its partner", (name, value) => {
    expect(problems({ url, [name]: value })).toContain(name === "latitude" ? "longitude" : name);
  });
});
