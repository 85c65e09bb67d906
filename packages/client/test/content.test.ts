import { SnapError as EngineError } from "@snap/engine";
import { describe, expect, it } from "vitest";
import { createClient, type ScreenshotCapture } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { openRawServer, png, TOKEN } from "./raw-server.ts";
import { openService } from "./service.ts";

const html = "<h1>Invoice 7</h1>";

describe("a capture of content", () => {
  it("renders html as a screenshot and markdown as a PDF", async () => {
    const { client, renderer } = await openService();
    const snap = await client();
    const shot = await snap.screenshot({ html, width: 1200, height: 630 });
    expect(shot).toMatchObject({ contentType: "image/png", cache: "miss", targetStatus: 200 });
    const pdf = await snap.pdf({ markdown: "# Report", paperFormat: "letter" });
    expect(pdf.contentType).toBe("application/pdf");
    expect(renderer.calls).toEqual([
      expect.objectContaining({ width: 1200, height: 630, pdf: false }),
      expect.objectContaining({ paperFormat: "letter", pdf: true }),
    ]);
    const pages = renderer.options.map(async (options) => options.document?.readFile("index.html"));
    const [first, second] = (await Promise.all(pages)).map((page) =>
      Buffer.from(page?.bytes ?? []).toString(),
    );
    expect(first).toBe(html);
    expect(second).toContain("Report</h1>");
  });

  it("supports If-None-Match, streams and cache: false", async () => {
    const snap = await (await openService()).client({ credits: 10 });
    const first = await snap.screenshot({ html });
    const again = await snap.screenshot({ html }, { ifNoneMatch: first.etag });
    expect(again).toMatchObject({ notModified: true, etag: first.etag, cache: "hit" });
    const { stream } = await snap.screenshot({ html }, { as: "stream" });
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(first.bytes);
    expect((await snap.screenshot({ html, cache: false })).cache).toBe("bypass");
  });

  it("is retried after a retryable failure", async () => {
    const { client, renderer } = await openService();
    const delaysMs: number[] = [];
    const pacing = {
      now: () => 0,
      random: () => 0,
      sleep: async (durationMs: number) => void delaysMs.push(durationMs),
    };
    const snap = await client({}, { pacing });
    renderer.failNext(new EngineError("render_timeout", "too slow"), 2);
    expect((await snap.pdf({ html })).contentType).toBe("application/pdf");
    expect(delaysMs).toHaveLength(2);
    expect(renderer.calls).toHaveLength(3);
  });

  it.each<[string, object, Record<string, string[]>]>([
    [
      "two pages",
      { html, markdown: "# Hi" },
      {
        html: ["cannot be combined with another page; send exactly one of url, html and markdown"],
        markdown: ["cannot be combined with another page; send exactly one of url, html and markdown"],
      },
    ],
    [
      "an empty page and a wrong parameter",
      { html: "", scale: 4 },
      { html: ["must be non-empty Unicode text"], scale: ["must be an integer from 1 to 3"] },
    ],
    ["an empty page", { html: "" }, { html: ["must be non-empty Unicode text"] }],
    ["a wrong parameter", { html, scale: 4 }, { scale: ["must be an integer from 1 to 3"] }],
    ["a PDF parameter", { html, landscape: true }, { landscape: [expect.stringContaining("PDFs only")] }],
  ])("with %s is rejected without a request", async (_what, parameters, errors) => {
    const { client, renderer } = await openService();
    const snap = await client();
    const input: ScreenshotCapture = parameters;
    const failure = await failureOf(snap.screenshot(input));
    expect(failure).toMatchObject({ code: "validation_failed", status: 422, requestId: null, errors });
    expect(renderer.calls).toEqual([]);
  });

  it("rejects with the service's errors", async () => {
    const snap = await (await openService()).client({ verified: false });
    expect(await failureOf(snap.pdf({ html }))).toMatchObject({ code: "email_unverified", status: 403 });
  });
});

describe("a request with secrets", () => {
  const parameters = {
    url: "https://example.com/",
    headers: { "x-preview": "s3cr3t" },
    cookies: [{ name: "session", value: "s3cr3t" }],
    basicAuth: "ada:s3cr3t",
  } as const;

  it("is sent as JSON, because URLs are logged", async () => {
    const { origin, requests } = await openRawServer(png);
    const snap = createClient({ baseUrl: origin, token: TOKEN });
    const { url, headers, cookies, basicAuth } = parameters;
    await snap.screenshot({ url, headers });
    await snap.screenshot({ url, cookies });
    await snap.screenshot({ url, basicAuth });
    expect(requests.map((request) => `${request.method} ${request.url}`)).toEqual([
      "POST /v1/captures",
      "POST /v1/captures",
      "POST /v1/captures",
    ]);
  });

  it("reaches the renderer, and supports If-None-Match, JSON and cache: false", async () => {
    const { client, renderer } = await openService();
    const snap = await client();
    const first = await snap.screenshot(parameters);
    expect(first).toMatchObject({ contentType: "image/png", cache: "miss", targetStatus: 200 });
    expect(renderer.calls).toEqual([expect.objectContaining(parameters)]);
    const again = await snap.screenshot(parameters, { ifNoneMatch: first.etag });
    expect(again).toMatchObject({ notModified: true, etag: first.etag, cache: "hit" });
    const { json } = await snap.screenshot(parameters, { as: "json" });
    expect(json).toMatchObject({ etag: first.etag, cache: "HIT", credit_cost: 0, signed_url: null });
    expect(await snap.screenshot({ ...parameters, cache: false })).toMatchObject({ cache: "bypass" });
  });
});

it("a request that is too long for a URL is sent as JSON", async () => {
  const { client, renderer } = await openService();
  const snap = await client();
  const headerHtml = "<b>%</b>".repeat(2500);
  const margins = { marginTop: 20, marginRight: 0, marginBottom: 20, marginLeft: 0 };
  const parameters = { url: "https://example.com/", ...margins, headerHtml, footerHtml: headerHtml };
  const first = await snap.pdf(parameters);
  expect(first).toMatchObject({ contentType: "application/pdf", cache: "miss" });
  expect(renderer.calls).toEqual([expect.objectContaining({ headerHtml, url: "https://example.com/" })]);
  expect(await snap.pdf(parameters, { ifNoneMatch: first.etag })).toMatchObject({ notModified: true });
});
