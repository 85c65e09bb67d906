import { isSnapError, parseQuery } from "@snap/engine";
import { PARAMETERS, type Mode, type ParameterRow } from "@snap/protocol";
import { describe, expect, it } from "vitest";
import { documentedParameters, type DocumentedParameter } from "../../src/openapi/parameters.ts";

/*
 * Compares the description with the validators: values that it allows are accepted, and values just outside its
 * limits are rejected with an error that names the parameter.
 */

const url = "https://example.com/";
type Query = Readonly<Record<string, string>>;

/** Other parameters that a parameter needs in order to be valid. */
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

interface DescribedSchema {
  readonly type: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: unknown;
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
function schemasByMode({ acceptedIn, schema }: DocumentedParameter): [Mode, DescribedSchema][] {
  const either = schema["anyOf"] as readonly DescribedSchema[] | undefined;
  return acceptedIn.map((mode, index) => [mode, either?.[index] ?? (schema as unknown as DescribedSchema)]);
}

/** The values that a row allows, as a JSON schema. */
function constraintsOf(row: ParameterRow): object {
  switch (row.kind) {
    case "flag":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: row.values };
    case "integer":
    case "decimal":
    case "pixels":
      return { type: row.kind === "integer" ? "integer" : "number", minimum: row.min, maximum: row.max };
    case "url":
      return { type: "string", maxLength: 2048 };
    case "selector":
    case "text":
      return { type: "string", maxLength: row.maxCharacters };
    case "json":
      return {};
  }
}

function queryFor(name: string, mode: string, value: string): Query {
  if (mode === "pdf" && name === "expandScrollers") return { url, pdf: "true", [name]: value };
  const base: Query = { url, ...(mode === "pdf" && { pdf: "true" }), ...COMPANIONS[name] };
  return { ...base, [name]: value };
}

/** In a query, a structured value is JSON text. */
function exampleOf({ example }: DocumentedParameter): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}

function allowedValues(described: DescribedSchema): string[] {
  if (described.enum) return [...described.enum];
  if (described.type === "boolean") return ["true", "false", "1", "0"];
  if (described.minimum !== undefined && described.maximum !== undefined)
    return [String(described.minimum), String(described.maximum)];
  return [];
}

function valuesOutside(described: DescribedSchema): string[] {
  if (described.enum || described.type === "boolean") return ["other", "", "TRUE", "2"];
  if (described.minimum === undefined || described.maximum === undefined) return [""];
  const step = described.type === "integer" ? 1 : 0.01;
  const outOfRange = [described.minimum - step, described.maximum + step].map((value) => value.toFixed(2));
  return [...outOfRange.map((value) => String(Number(value))), "x", "", ...(step === 1 ? ["1.5"] : [])];
}

const cases = documentedParameters().flatMap((parameter) =>
  schemasByMode(parameter).map(([mode, described]) => ({ name: parameter.name, mode, described, parameter })),
);

describe("documented parameters", () => {
  it("are those of the protocol, listed once each, with the modes that accept them", () => {
    const names = [...Object.keys(PARAMETERS.screenshot), ...Object.keys(PARAMETERS.pdf)];
    const documented = documentedParameters();
    expect(documented.map(({ name }) => name).toSorted()).toEqual([...new Set(names)].toSorted());
    for (const { name, required, acceptedIn } of documented) {
      const modes = (["screenshot", "pdf"] as const).filter((mode) => name in PARAMETERS[mode]);
      expect([name, required, acceptedIn]).toEqual([name, name === "url", modes]);
    }
  });

  it.each(cases)("$name has the values and the default of its row in $mode mode", (documented) => {
    const { name, mode, described, parameter } = documented;
    const row = (PARAMETERS[mode] as Readonly<Record<string, ParameterRow>>)[name] as ParameterRow;
    expect(described).toMatchObject(constraintsOf(row));
    const value = row.default ?? row.implied;
    const defaultPhrases = [`Default: \`${value}\`.`, `${value} by default`, `By default \`${value}\``];
    const isDescribed = defaultPhrases.some((text) => parameter.description.includes(text));
    expect(described.default ?? parameter.schema["default"] ?? (isDescribed ? value : undefined)).toBe(value);
  });

  it.each(cases)("$name is accepted in $mode mode within its range", ({ name, mode, described }) => {
    const refused = allowedValues(described).filter(
      (value) => problems(queryFor(name, mode, value)).length > 0,
    );
    expect(refused).toEqual([]);
  });

  it.each(cases)("the example of $name is accepted in $mode mode", ({ name, mode, parameter }) => {
    expect(parameter.example).toBeDefined();
    expect(parameter.description).not.toBe("");
    expect(problems(queryFor(name, mode, exampleOf(parameter)))).toEqual([]);
  });

  it.each(cases)("$name is rejected in $mode mode outside its range", ({ name, mode, described }) => {
    const accepted = valuesOutside(described).filter(
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

  // for these, the letter a is valid as often as the maximum length allows
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
});
