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
  // A sheet that is large enough for the widest margin.
  marginTop: { width: "5000", height: "5000", marginRight: "0", marginBottom: "0", marginLeft: "0" },
  marginRight: { width: "5000", height: "5000", marginTop: "0", marginBottom: "0", marginLeft: "0" },
  marginBottom: { width: "5000", height: "5000", marginTop: "0", marginRight: "0", marginLeft: "0" },
  marginLeft: { width: "5000", height: "5000", marginTop: "0", marginRight: "0", marginBottom: "0" },
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
function faults(query: Query): string[] {
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
  const base: Query = { url, ...(mode === "pdf" && { pdf: "true" }), ...COMPANIONS[name] };
  return { ...base, [name]: value };
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
  it("are those of the specification, each once", () => {
    const table = documentedParameters().map(({ name, required, acceptedIn }) => [
      name,
      required,
      acceptedIn.join(),
    ]);
    expect(table.toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))).toEqual([
      ["cache", false, "screenshot,pdf"],
      ["cacheTtl", false, "screenshot,pdf"],
      ["clipHeight", false, "screenshot"],
      ["clipWidth", false, "screenshot"],
      ["clipX", false, "screenshot"],
      ["clipY", false, "screenshot"],
      ["delay", false, "screenshot"],
      ["format", false, "screenshot"],
      ["fullPage", false, "screenshot"],
      ["height", false, "screenshot,pdf"],
      ["landscape", false, "pdf"],
      ["marginBottom", false, "pdf"],
      ["marginLeft", false, "pdf"],
      ["marginRight", false, "pdf"],
      ["marginTop", false, "pdf"],
      ["marginUnit", false, "pdf"],
      ["omitBackground", false, "screenshot"],
      ["paperFormat", false, "pdf"],
      ["pdf", false, "screenshot,pdf"],
      ["quality", false, "screenshot"],
      ["scale", false, "screenshot,pdf"],
      ["selector", false, "screenshot"],
      ["url", true, "screenshot,pdf"],
      ["waitForSelector", false, "screenshot"],
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
    });
  });

  it.each(cases)("$name is accepted in $mode mode within its range", ({ name, mode, described }) => {
    const refused = allowed(described).filter((value) => faults(queryFor(name, mode, value)).length > 0);
    expect(refused).toEqual([]);
  });

  it.each(cases)("the example of $name is accepted", ({ name, mode, parameter }) => {
    expect(parameter.example).toBeDefined();
    expect(parameter.description).not.toBe("");
    expect(faults(queryFor(name, mode, String(parameter.example)))).toEqual([]);
  });

  it.each(cases)("$name is rejected in $mode mode outside its range", ({ name, mode, described }) => {
    const accepted = outside(described).filter(
      (value) => !faults(queryFor(name, mode, value)).includes(name),
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
        [name]: String(parameter.example),
      };
      expect(faults(query)).toContain(name);
      expect(parameter.description).toMatch(mode === "pdf" ? /^PDFs only\. / : /^Screenshots only\. /);
    },
  );

  it.each(cases.filter(({ described }) => described.maxLength !== undefined))(
    "$name ($mode) has the documented maximum length",
    ({ name, mode, described: { maxLength = 0, pattern = "" } }) => {
      const start = name === "url" ? url : "";
      const longest = start + "a".repeat(maxLength - start.length);
      expect(maxLength).toBe(name === "url" ? 2048 : 512);
      expect(new RegExp(pattern, "u").test(longest)).toBe(true);
      expect(faults(queryFor(name, mode, longest))).toEqual([]);
      expect(faults(queryFor(name, mode, `${longest}a`))).toEqual([name]);
    },
  );
});
