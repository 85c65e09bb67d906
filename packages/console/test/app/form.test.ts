import { describe, expect, it } from "vitest";
import { linkOf, playgroundLink, readForm } from "../../src/app/playground/form-link.ts";
import { EMPTY_FORM, findProblems, toParameters, type Form } from "../../src/app/playground/form.ts";

const form = (values: Form["values"], change: Partial<Form> = {}): Form => ({
  ...EMPTY_FORM,
  values,
  ...change,
});

/** Its domain matches only URLs on shop.test. */
const COOKIE = '[{"name": "a", "value": "b", "domain": "shop.test"}]';

describe("a form", () => {
  it("is converted to typed parameters of its mode, without defaults", () => {
    const values = {
      url: " https://example.com/a b ",
      scale: "2",
      format: "png",
      fullPage: "true",
      javascript: "false",
      headers: '{"X-Preview": "1"}',
      landscape: "true",
      quality: "",
    };
    expect(toParameters(form(values))).toEqual({
      url: "https://example.com/a%20b",
      scale: 2,
      javascript: false,
      headers: { "X-Preview": "1" },
      fullPage: true,
    });
    expect(toParameters(form(values, { mode: "pdf" }))).toEqual({
      url: "https://example.com/a%20b",
      pdf: true,
      scale: 2,
      javascript: false,
      headers: { "X-Preview": "1" },
      landscape: true,
    });
  });

  it("is converted with only the page of the selected source", () => {
    const values = { url: "https://example.com/", html: "<p>", markdown: "# A" };
    expect(toParameters(form(values, { source: "html" }))).toEqual({ html: "<p>" });
    expect(toParameters(form(values, { source: "markdown" }))).toEqual({ markdown: "# A" });
  });

  it.each<[name: string, Form, object]>([
    [
      "without a url",
      form({}),
      { url: ["is required and must be an absolute URL that starts with http:// or https://"] },
    ],
    ["without HTML", form({}, { source: "html" }), { html: ["is required"] }],
    ["with a url", form({ url: "https://example.com/" }), {}],
    [
      "with a scale that is not an integer",
      form({ html: "<p>", scale: "2.5" }, { source: "html" }),
      { scale: ["must be an integer from 1 to 3"] },
    ],
    [
      "with a delay in scientific notation",
      form({ url: "https://example.com/", delay: "1e3" }),
      { delay: ["must be an integer from 0 to 10000"] },
    ],
    [
      "with a single page in landscape",
      form({ url: "https://example.com/", singlePage: "true", landscape: "true" }, { mode: "pdf" }),
      { singlePage: ["cannot be combined with landscape"] },
    ],
    [
      "with several invalid fields",
      form({ headers: "{" }),
      {
        url: ["is required and must be an absolute URL that starts with http:// or https://"],
        headers: ["must be an object of at most 20 header fields, as JSON"],
      },
    ],
    ["with cookies and no HTML", form({ cookies: COOKIE }, { source: "html" }), { html: ["is required"] }],
    [
      "with cookies and no url",
      form({ cookies: COOKIE }),
      { url: ["is required and must be an absolute URL that starts with http:// or https://"] },
    ],
  ])("%s has the expected problems", (_, each, problems) => {
    expect(findProblems(each)).toEqual(problems);
  });
});

describe("a playground link", () => {
  it("restores the form without its secrets", () => {
    const values = {
      url: "https://example.com/?a=1&b=2#c",
      css: "a > b {}",
      javascript: "false",
      scale: "1.5",
    };
    const link = linkOf(form({ ...values, basicAuth: "user:password" }, { mode: "pdf" })) ?? "";
    expect(link).not.toContain("password");
    expect(readForm(new URLSearchParams(link.split("?")[1]))).toEqual({ mode: "pdf", source: "url", values });
  });

  it("does not exist if the form is too long for a URL", () => {
    expect(linkOf(form({ html: "x".repeat(70_000) }, { source: "html" }))).toBe(null);
  });

  it.each([
    ["https://user:password@example.com/a@b", "https://example.com/a@b"],
    ["https:user:password@example.com:99999/", "https:example.com:99999/"],
    ["user:password@example.com", "example.com"],
    ["\thttps://user:password@example.com/", "\thttps://example.com/"],
    ["postgres://user:password@db.example/x", "postgres://db.example/x"],
    ["view-source:https://user:password@example.com/", "view-source:https://example.com/"],
    ["https://example.com/@a?b=c@d", "https://example.com/@a?b=c@d"],
  ])("for %s has no user name or password", (url, shown) => {
    expect(linkOf(form({ url }))).toBe(`#/playground?${new URLSearchParams({ url: shown })}`);
  });

  it("for a recorded request omits its secrets", () => {
    const parameters = { url: "https://example.com/", headers: "[secret]", fullPage: true };
    expect(playgroundLink(parameters)).toBe("#/playground?url=https%3A%2F%2Fexample.com%2F&fullPage=true");
  });
});
