import { expect, it } from "vitest";
import { TOOLS } from "../../src/mcp/tools.ts";
import { openService } from "../http/open-service.ts";
import { CLIENTS } from "./clients.ts";

const html = "<h1>Invoice 7</h1>";

it.each(Object.entries(CLIENTS))("take-screenshot renders html for %s", async (_name, connect) => {
  const { service, customer, renderer } = await openService();
  const { token } = await customer();
  const session = await connect({ origin: service.origin, token });
  const { content, isError } = await session.call("take-screenshot", { html, width: 800, height: 600 });
  expect(isError).toBeFalsy();
  expect(content).toMatchObject([{ type: "image", mimeType: "image/png" }, { type: "text" }]);
  expect(renderer.calls).toEqual([expect.objectContaining({ width: 800, height: 600 })]);
  const page = await renderer.options[0]?.document?.readFile("index.html");
  expect(Buffer.from(page?.bytes ?? []).toString()).toBe(html);
});

it("create-pdf returns a link to the PDF of markdown, which is served from the cache", async () => {
  const { service, customer, send, renderer } = await openService();
  const { token } = await customer();
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { structuredContent } = await session.call("create-pdf", { markdown: "# Report" });
  const link = new URL(String(structuredContent?.["signed_url"]));
  const reply = await send(link.pathname + link.search);
  expect(reply.headers).toMatchObject({ "content-type": "application/pdf", "x-cache": "HIT" });
  expect(renderer.calls).toHaveLength(1);
});

it.each([
  ["take-screenshot", { html }],
  ["create-pdf", { html }],
  ["check-usage", {}],
] as const)(
  "the result of %s has the members that its schema describes, and no others",
  async (name, sent) => {
    const { service, customer } = await openService();
    const { token } = await customer();
    const session = await CLIENTS["the older client"]({ origin: service.origin, token });
    const { structuredContent = {} } = await session.call(name, sent);
    const { properties } = TOOLS[name].outputSchema;
    expect(Object.keys(structuredContent).toSorted()).toEqual(Object.keys(properties as object).toSorted());
  },
);

it("a tool rejects html that is not text", async () => {
  const { service, customer } = await openService();
  const { token } = await customer();
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { content, isError } = await session.call("take-screenshot", { html: 7 });
  expect(isError).toBe(true);
  expect(content[0]?.["text"]).toContain("must be non-empty Unicode text");
});

it.each([
  [
    "take-screenshot",
    { ulr: "https://example.com/", fullPage: "maybe" },
    [
      "url is missing; send exactly one of url, html and markdown",
      "fullPage must be true or false",
      "ulr is not a parameter",
    ],
  ],
  [
    "create-pdf",
    { html: "a", markdown: "b", scale: 9 },
    [
      "html cannot be combined with another page; send exactly one of url, html and markdown",
      "markdown cannot be combined with another page; send exactly one of url, html and markdown",
      "scale must be a number from 0.1 to 2",
    ],
  ],
  [
    "create-pdf",
    { html, fullPage: true, paperFormat: "a9" },
    ["fullPage is for take-screenshot only; omit it, or call that tool", "paperFormat must be one of"],
  ],
])("%s names every invalid argument of %o", async (tool, args, problems) => {
  const { service, customer } = await openService();
  const { token } = await customer();
  const session = await CLIENTS["the older client"]({ origin: service.origin, token });
  const { content } = await session.call(tool, args);
  expect(content[0]?.["text"]).toMatch(/^validation_failed: /);
  const lines = String(content[1]?.["text"]).split("\n").slice(0, -1);
  expect(lines).toEqual(problems.map((problem) => expect.stringContaining(problem)));
});
