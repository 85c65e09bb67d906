import { SnapError as EngineError } from "@snap/engine";
import { describe, expect, it } from "vitest";
import type { ScreenshotCapture } from "../src/index.ts";
import { failureOf } from "./failure-of.ts";
import { openService } from "./service.ts";

const html = "<h1>Invoice 7</h1>";

describe("a capture of content", () => {
  it("renders html and markdown, which the service does not store, in both modes", async () => {
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

  it("returns the same results as a capture of a url", async () => {
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
    const slept: number[] = [];
    const pacing = {
      now: () => 0,
      random: () => 0,
      sleep: async (durationMs: number) => void slept.push(durationMs),
    };
    const snap = await client({}, { pacing });
    renderer.failNext(new EngineError("render_timeout", "too slow"), 2);
    expect((await snap.pdf({ html })).contentType).toBe("application/pdf");
    expect(slept).toHaveLength(2);
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
    ["an empty page", { html: "" }, { html: ["must be non-empty Unicode text"] }],
    ["a wrong parameter", { html, scale: 4 }, { scale: ["must be an integer from 1 to 3"] }],
    ["a PDF parameter", { html, landscape: true }, { landscape: [expect.stringContaining("PDFs only")] }],
  ])("is rejected without a request for %s", async (_what, parameters, errors) => {
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
