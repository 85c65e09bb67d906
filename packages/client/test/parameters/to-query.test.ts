import { describe, expect, it } from "vitest";
import { toQuery } from "@snap/protocol";

const url = "https://example.com/?a=b c&d";

describe("toQuery", () => {
  it("writes strings, booleans and numbers in the order of the parameters", () => {
    expect(toQuery({ url, fullPage: true, cache: false, scale: 2, waitUntil: "load" }).toString()).toBe(
      "url=https%3A%2F%2Fexample.com%2F%3Fa%3Db+c%26d&fullPage=true&cache=false&scale=2&waitUntil=load",
    );
  });

  it("leaves out undefined values", () => {
    expect([...toQuery({ url, delay: undefined, landscape: undefined }).keys()]).toEqual(["url"]);
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [8.5, "8.5"],
    [1000, "1000"],
    [0.1 + 0.2, "0.300000000000000"],
    [1e-7, "0.000000100000000"],
    [Number.MIN_VALUE, "0.000000000000000"],
  ])("writes %d as a plain decimal", (marginTop, text) => {
    const margins = { marginTop, marginRight: 0, marginBottom: 0, marginLeft: 0 };
    expect(toQuery({ url, pdf: true, ...margins }).get("marginTop")).toBe(text);
  });
});
