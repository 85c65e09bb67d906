import { PARAMETERS, type PdfInput, type ScreenshotInput } from "@snap/protocol";
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as z from "zod";
import { isSnapError } from "../../src/errors.ts";
import { parseParameters } from "../../src/parameters/parse.ts";
import { pdfParameters, screenshotParameters } from "../../src/parameters/schemas.ts";

type InputOfScreenshot = z.input<typeof screenshotParameters>;
type InputOfPdf = z.input<typeof pdfParameters>;

describe("the schemas", () => {
  it("take whatever the input types let through", () => {
    expectTypeOf<ScreenshotInput>().toExtend<InputOfScreenshot>();
    expectTypeOf<PdfInput & { readonly pdf: true }>().toExtend<InputOfPdf>();
  });

  it("know the same names as the input types", () => {
    expectTypeOf<keyof ScreenshotInput>().toEqualTypeOf<keyof InputOfScreenshot | keyof InputOfPdf>();
    expectTypeOf<keyof PdfInput>().toEqualTypeOf<keyof InputOfScreenshot | keyof InputOfPdf>();
  });

  // Faults are reported in this order, by the client as well.
  it("have the parameters of the table in its order", () => {
    expect(Object.keys(screenshotParameters.shape)).toEqual(Object.keys(PARAMETERS.screenshot));
    expect(Object.keys(pdfParameters.shape)).toEqual(Object.keys(PARAMETERS.pdf));
  });

  it("fill in the defaults that the types of validated parameters promise", () => {
    const url = "https://example.com/";
    expect(screenshotParameters.parse({ url })).toEqual({
      url,
      pdf: false,
      scale: 1,
      fullPage: false,
      format: "png",
      omitBackground: false,
      cache: true,
    });
    expect(pdfParameters.parse({ url, pdf: true })).toEqual({
      url,
      pdf: true,
      landscape: false,
      paperFormat: "a4",
      marginUnit: "mm",
      scale: 1,
      cache: true,
    });
  });
});

describe("parameters given as an object", () => {
  const url = "https://example.com/";

  it("doesn't count undefined as sent", () => {
    const input = { url, delay: undefined, landscape: undefined, unheardOf: undefined };
    expect(parseParameters(input)).toEqual(parseParameters({ url }));
  });

  it("names what stands between fields beside a fraction of an integer", () => {
    let names: string[] = [];
    try {
      parseParameters({ url, delay: 1.5, width: 800 });
    } catch (error) {
      if (isSnapError(error)) names = Object.keys(error.errors ?? {});
    }
    expect(names.toSorted()).toEqual(["delay", "height"]);
  });
});
