import { PARAMETERS, type Mode, type PdfInput, type ScreenshotInput } from "@snap/protocol";
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import { isSnapError } from "../../src/errors.ts";
import { parseParameters } from "../../src/parameters/parse.ts";
import { pdfParameters, screenshotParameters } from "../../src/parameters/schemas.ts";

type ScreenshotSchemaInput = z.input<typeof screenshotParameters>;
type PdfSchemaInput = z.input<typeof pdfParameters>;

describe("the schemas", () => {
  it("accept the input types", () => {
    expectTypeOf<ScreenshotInput>().toExtend<ScreenshotSchemaInput>();
    expectTypeOf<PdfInput & { readonly pdf: true }>().toExtend<PdfSchemaInput>();
  });

  it("have the same names as the input types", () => {
    expectTypeOf<keyof ScreenshotInput>().toEqualTypeOf<keyof ScreenshotSchemaInput | keyof PdfSchemaInput>();
    expectTypeOf<keyof PdfInput>().toEqualTypeOf<keyof ScreenshotSchemaInput | keyof PdfSchemaInput>();
  });

  // the client and the service report problems in this order
  it("have the parameters in table order", () => {
    expect(Object.keys(screenshotParameters.shape)).toEqual(Object.keys(PARAMETERS.screenshot));
    expect(Object.keys(pdfParameters.shape)).toEqual(Object.keys(PARAMETERS.pdf));
  });

  it("fill in the defaults of the parameter table", () => {
    const url = "https://example.com/";
    const defaultsOf = (mode: Mode): object =>
      Object.fromEntries(
        Object.values(PARAMETERS[mode])
          .filter((row) => row.default !== undefined)
          .map((row) => [row.name, row.default]),
      );
    expect(screenshotParameters.parse({ url })).toEqual({ url, ...defaultsOf("screenshot") });
    expect(pdfParameters.parse({ url, pdf: true })).toEqual({ url, ...defaultsOf("pdf"), pdf: true });
  });
});

describe("parseParameters", () => {
  const url = "https://example.com/";

  it("ignores undefined values", () => {
    const input = { url, delay: undefined, landscape: undefined, unknown: undefined };
    expect(parseParameters(input)).toEqual(parseParameters({ url }));
  });

  it("reports both a fractional delay and a width without a height", () => {
    let names: string[] = [];
    try {
      parseParameters({ url, delay: 1.5, width: 800 });
    } catch (error) {
      if (isSnapError(error)) names = Object.keys(error.errors ?? {});
    }
    expect(names.toSorted()).toEqual(["delay", "height"]);
  });
});
