import { describe, expect, it } from "vitest";
import { pathOf, queryOf, toOriginForm } from "../../src/requests/request-target.ts";

describe("toOriginForm", () => {
  it.each([
    ["/v1/snap?url=x", "/v1/snap?url=x"],
    ["http://host:3000/v1/snap?url=x", "/v1/snap?url=x"],
    ["HTTP://[::1]:99999/v1/snap", "/v1/snap"],
    ["http://host?url=x", "/?url=x"],
    ["http://host", "/"],
    ["*", "/"],
    ["", "/"],
    ["//v1/snap", "//v1/snap"],
    ["v1", "/v1"],
    ["/a#b?c=#d", "/a%23b?c=%23d"],
    ["/%zz%", "/%zz%"],
  ])("converts %s to %s", (target, origin) => {
    expect(toOriginForm(target)).toBe(origin);
  });
});

describe("queryOf", () => {
  it.each([
    ["/v1/snap", []],
    ["/v1/snap?", []],
    [
      "/v1/snap?a=1&a=2",
      [
        ["a", "1"],
        ["a", "2"],
      ],
    ],
    [
      "/v1/snap?a=%zz&b=%",
      [
        ["a", "%zz"],
        ["b", "%"],
      ],
    ],
    ["/v1/snap?a=x?y=z", [["a", "x?y=z"]]],
    ["/v1/snap?a+b=c%20d", [["a b", "c d"]]],
    ["/v1/snap?%ff", [["\ufffd", ""]]],
  ])("reads %s", (target, pairs) => {
    expect([...queryOf(target)]).toEqual(pairs);
  });
});

it("pathOf omits the query", () => {
  expect(pathOf("/v1/snap?signature=secret")).toBe("/v1/snap");
});
