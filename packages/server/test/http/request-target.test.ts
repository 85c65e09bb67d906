import { describe, expect, it } from "vitest";
import { pathOf, rawQueryOf, toOriginForm } from "../../src/requests/request-target.ts";

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

it.each([
  ["/v1/snap", ""],
  ["/v1/snap?", ""],
  ["/v1/snap?a=1&a=%zz", "a=1&a=%zz"],
  ["/v1/snap?a=x?y=z", "a=x?y=z"],
])("rawQueryOf returns the text after the first question mark of %s", (target, text) => {
  expect(rawQueryOf(target)).toBe(text);
});

it("pathOf omits the query", () => {
  expect(pathOf("/v1/snap?signature=secret")).toBe("/v1/snap");
});
