import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { CLIENTS } from "../mcp/clients.ts";
import { batchOf, submit } from "../http/batches.ts";
import { envelopeOf, openService } from "../http/open-service.ts";

/*
 * Some generated clients send every default of an API description; the request must mean the same
 * as one without them.
 */

interface Schema {
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface QueryParameter {
  readonly name: string;
  readonly schema: Schema;
}

const document = openApiDocument("https://snap.example.com");
const url = "https://example.com/";

const tools = new Map(Object.entries(TOOLS).map(([name, { inputSchema }]) => [name, inputSchema as Schema]));

/** The defaults of an operation's query. */
function queryDefaults(path: string): Record<string, string> {
  const parameters = document.paths?.[path]?.get?.parameters as unknown as readonly QueryParameter[];
  const defaults = parameters.flatMap(({ name, schema }) =>
    schema.default === undefined ? [] : [[name, String(schema.default)] as const],
  );
  expect(defaults).not.toEqual([]);
  return Object.fromEntries(defaults);
}

/** The defaults of a JSON object. */
function defaultsOf({ properties = {} }: Schema): Record<string, unknown> {
  const defaults = Object.entries(properties).flatMap(([name, value]) =>
    value.default === undefined ? [] : [[name, value.default] as const],
  );
  expect(defaults).not.toEqual([]);
  return Object.fromEntries(defaults);
}

function component(name: string): Schema {
  return document.components?.schemas?.[name] as Schema;
}

/** Parameters that make others invalid or required. */
const screenshots = [{}, { output: "avif" }, { device: "iphone-15-pro" }, { selector: "main" }];
const pdfs = [{ pdf: true }, { pdf: true, singlePage: true }];

describe("the defaults of the query", () => {
  it.each([...screenshots, ...pdfs])("can be sent with %j", async (parameters) => {
    const service = await openService({ renderer: { processesImages: true } });
    const { token } = await service.customer();
    const query = Object.fromEntries(
      Object.entries({ url, ...parameters }).map(([name, value]) => [name, String(value)]),
    );
    expect((await service.snap(query, { token })).headers["x-cache"]).toBe("MISS");
    const { status, headers } = await service.snap({ ...queryDefaults("/snap"), ...query }, { token });
    expect([status, headers["x-cache"]]).toEqual([200, "HIT"]);
  });

  it("are the same in a signed URL, except for answer, which it does not support", () => {
    const { answer, ...rendering } = queryDefaults("/snap");
    expect(answer).toBe("file");
    expect(queryDefaults("/snap/signed")).toEqual(rendering);
  });
});

describe("the defaults of a body", () => {
  it.each(["ScreenshotCapture", "ScreenshotItem", "take-screenshot"])(
    "are only in the description if clients must not send them: %s",
    (name) => {
      const { width, colorScheme, cacheTtl } = (tools.get(name) ?? component(name)).properties ?? {};
      expect(width?.description).toBe("Viewport width in pixels; requires `height`. Default: `1280`.");
      expect(colorScheme?.description).toMatch(/ Default: `light`\.$/);
      expect(cacheTtl?.description).not.toContain("Default:");
    },
  );

  it.each([
    ...screenshots.map((parameters) => ["ScreenshotCapture", parameters] as const),
    ...pdfs.map((parameters) => ["PdfCapture", parameters] as const),
  ])("can be sent: those of %s with %j", async (name, parameters) => {
    const service = await openService({ renderer: { processesImages: true } });
    const { token } = await service.customer();
    const capture = (body: object): ReturnType<typeof service.send> =>
      service.send("/v1/captures", {
        method: "POST",
        token,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await capture({ url, ...parameters })).headers["x-cache"]).toBe("MISS");
    const { status, headers } = await capture({ ...defaultsOf(component(name)), url, ...parameters });
    expect([status, headers["x-cache"]]).toEqual([200, "HIT"]);
  });

  it.each([
    ...screenshots.map((parameters) => ["take-screenshot", parameters] as const),
    ...[{}, { singlePage: true }].map((parameters) => ["create-pdf", parameters] as const),
  ])("can be sent: those of %s with %j", async (name, parameters) => {
    const { service, customer } = await openService({ renderer: { processesImages: true } });
    const { token } = await customer();
    const session = await CLIENTS["the older client"]({ origin: service.origin, token });
    const first = await session.call(name, { url, ...parameters });
    expect(first.structuredContent).toMatchObject({ cache: "MISS" });
    const again = await session.call(name, { ...defaultsOf(tools.get(name) ?? {}), url, ...parameters });
    expect(again.structuredContent).toMatchObject({ cache: "HIT" });
  });

  it.each([
    ...screenshots.map((parameters) => ["ScreenshotItem", parameters] as const),
    ...pdfs.map((parameters) => ["PdfItem", parameters] as const),
  ])("can be sent: those of %s with %j", async (name, parameters) => {
    const service = await openService({ renderer: { processesImages: true } });
    const { token } = await service.customer();
    const item = { url, ...parameters };
    const withDefaults = { ...defaultsOf(component(name)), ...item };
    expect(batchOf(await submit(service, { items: [withDefaults] }, { token })).status).toBe("pending");
    const both = envelopeOf(await submit(service, { items: [item, withDefaults] }, { token }));
    expect(both.errors).toEqual({ "items.1": ["is the same capture as items.0"] });
  });
});
