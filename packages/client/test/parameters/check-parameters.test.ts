import { isSnapError, parseParameters, parseQuery } from "@snap/engine";
import type { RenderInput } from "@snap/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkParameters, toQuery } from "@snap/protocol";
import { arbitraryParameters } from "./arbitrary-parameters.ts";

const url = "https://example.com/";

/** Returns the service's error, with the problems in order. */
function serviceError(input: Readonly<Record<string, unknown>>): unknown {
  try {
    parseParameters(input);
    return null;
  } catch (error) {
    if (!isSnapError(error)) throw error;
    return [error.code, error.message, Object.entries(error.errors ?? {})];
  }
}

function clientError(input: object): unknown {
  const failure = checkParameters(input);
  return failure === null ? null : [failure.code, failure.message, Object.entries(failure.errors)];
}

describe("checkParameters and the service", () => {
  it("return the same error for every object", () => {
    fc.assert(
      fc.property(arbitraryParameters, (input) => {
        expect(clientError(input)).toEqual(serviceError(input));
      }),
      { numRuns: 3000 },
    );
  });

  it("accept the same parameters, even after toQuery", () => {
    fc.assert(
      fc.property(arbitraryParameters, (input) => {
        fc.pre(checkParameters(input) === null);
        expect(() => parseQuery(toQuery(input as unknown as RenderInput))).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it("report the same first 50 of 60 problems", () => {
    const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const input = { url, ...Object.fromEntries(names.map((name) => [name, 1])) };
    expect(clientError(input)).toEqual(serviceError(input));
    expect(Object.keys(checkParameters(input)?.errors ?? {})).toEqual(names.slice(0, 50));
  });
});

describe("checkParameters", () => {
  it.each([
    [{ url }],
    [{ url, pdf: true, paperFormat: "letter" }],
    [{ url, delay: undefined, landscape: undefined, unheardOf: undefined }],
  ])("accepts %o", (input) => {
    expect(checkParameters(input)).toBeNull();
  });

  it.each([
    [{}, "invalid_url", ["url"]],
    [{ url: undefined }, "invalid_url", ["url"]],
    [{ url: "example.com" }, "invalid_url", ["url"]],
    [{ url: "https://user:pass@example.com/" }, "invalid_url", ["url"]],
    [{ url: "example.com", delay: -1 }, "validation_failed", ["url", "delay"]],
    [{ url, quality: 80 }, "validation_failed", ["quality"]],
    [{ url, fullPage: true, selector: "main" }, "validation_failed", ["selector"]],
    [{ url, fullPage: "true" }, "validation_failed", ["fullPage"]],
    [{ url, delay: null }, "validation_failed", ["delay"]],
    [{ url, landscape: true }, "validation_failed", ["landscape"]],
    [{ url, width: 800 }, "validation_failed", ["height"]],
    [{ url, cache: false, cacheTtl: 60 }, "validation_failed", ["cacheTtl"]],
    [{ url, pdf: true, fullPage: true }, "validation_failed", ["fullPage"]],
    [{ url, pdf: true, marginTop: 1 }, "validation_failed", ["marginRight", "marginBottom", "marginLeft"]],
  ])("rejects %o with %s for %j", (input, code, names) => {
    const failure = checkParameters(input);
    expect(failure?.code).toBe(code);
    expect(Object.keys(failure?.errors ?? {})).toEqual(names);
  });

  it("names the valid values and suggests the closest name", () => {
    expect(checkParameters({ url, scale: 4, full_page: true })).toEqual({
      code: "validation_failed",
      message: "scale must be an integer from 1 to 3 (1 more invalid)",
      errors: {
        scale: ["must be an integer from 1 to 3"],
        full_page: ["is not a parameter; did you mean fullPage?"],
      },
    });
  });
});
