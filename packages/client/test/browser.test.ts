// @module-tag browser
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import type { TargetPolicy } from "@snap/engine";
import { describe, expect, it } from "vitest";
import { createClient, signUrl } from "../src/index.ts";
import { kindOf } from "./kind-of.ts";
import { openRawServer } from "./raw-server.ts";
import { serve } from "./service.ts";

const LOOPBACK: TargetPolicy = {
  allow: [{ kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null }],
  ownHostnames: [],
};

/** Decodes windows-1252, where 0x89 is the per mille sign. */
const latin1 = new TextDecoder("latin1");

describe("the client, the server and Chromium", () => {
  it("render a page in every format", { timeout: 60_000 }, async () => {
    const site = await openRawServer((response, { url }) => {
      response.writeHead(url === "/missing" ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" });
      response.end(`<body style="margin:0;background:#0a7"><h1>Grüße</h1><div style="height:3000px">`);
    });
    const service = await serve(createPuppeteerRenderer({ targets: LOOPBACK }), { targets: LOOPBACK });
    const { token, tokenId, signingSecret } = await service.customer({ credits: 20 });
    const snap = createClient({ baseUrl: service.baseUrl, token });
    const page = { url: `${site.origin}/`, width: 320, height: 240, waitUntil: "load" } as const;

    const png = await snap.screenshot(page);
    expect(png).toMatchObject({ contentType: "image/png", cache: "miss", targetStatus: 200 });
    expect(latin1.decode(png.bytes.subarray(0, 8))).toBe("\u2030PNG\r\n\x1a\n");
    const view = new DataView(png.bytes.buffer, png.bytes.byteOffset);
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([320, 240]);

    const tall = await snap.screenshot({ ...page, fullPage: true });
    expect(new DataView(tall.bytes.buffer).getUint32(20)).toBeGreaterThan(3000);

    const jpeg = await snap.screenshot({ ...page, format: "jpeg", quality: 60 });
    expect(jpeg.contentType).toBe("image/jpeg");
    expect([...jpeg.bytes.subarray(0, 3), ...jpeg.bytes.subarray(-2)]).toEqual([
      0xff, 0xd8, 0xff, 0xff, 0xd9,
    ]);

    const webp = await snap.screenshot({ ...page, format: "webp" }, { as: "stream" });
    expect(webp.contentType).toBe("image/webp");
    const webpBytes = new Uint8Array(await new Response(webp.stream).arrayBuffer());
    expect(latin1.decode(webpBytes.subarray(0, 4))).toBe("RIFF");
    expect(latin1.decode(webpBytes.subarray(8, 12))).toBe("WEBP");
    expect(new DataView(webpBytes.buffer).getUint32(4, true)).toBe(webpBytes.byteLength - 8);

    const pdf = await snap.pdf({ url: `${site.origin}/`, paperFormat: "letter" }, { as: "response" });
    expect(pdf).toMatchObject({ contentType: "application/pdf", targetStatus: null });
    const pdfText = latin1.decode(await pdf.response.arrayBuffer());
    expect(pdfText).toMatch(/^%PDF-1\.\d/);
    expect(pdfText).toMatch(/\/MediaBox \[0 0 612 792\]/);
    expect(pdfText.trimEnd()).toMatch(/%%EOF$/);

    const cached = await snap.screenshot(page, { ifNoneMatch: png.etag });
    expect(cached).toMatchObject({ notModified: true, etag: png.etag, cache: "hit", targetStatus: 200 });

    const missing = await snap.screenshot({ ...page, url: `${site.origin}/missing` });
    expect(missing).toMatchObject({ targetStatus: 404, credits: { limit: 20, remaining: 14 } });

    const signed = await fetch(signUrl(page, { baseUrl: service.baseUrl, tokenId, signingSecret }));
    expect(new Uint8Array(await signed.arrayBuffer())).toEqual(png.bytes);
  });

  it("render a batch", { timeout: 60_000 }, async () => {
    const site = await openRawServer((response, { url }) => {
      response.writeHead(url === "/gone" ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" });
      response.end(`<body style="background:#0a7"><h1>Grüße</h1>`);
    });
    const service = await serve(createPuppeteerRenderer({ targets: LOOPBACK }), { targets: LOOPBACK });
    const snap = await service.client({ credits: 20 });
    const url = `${site.origin}/`;
    const batch = await snap.batches.submit({
      items: [
        { url, width: 320, height: 240 },
        { url: `${url}gone`, format: "webp", waitUntil: "load" },
        { url, pdf: true, paperFormat: "letter" },
      ],
    });
    const progress: number[] = [];
    const { items } = await snap.batches.wait(batch, {
      pollIntervalMs: 50,
      onProgress: ({ finished }) => progress.push(finished),
    });
    expect([progress[0], progress.at(-1)]).toEqual([0, 3]);
    expect(
      items.map(({ status, target_status, credit_cost }) => [status, target_status, credit_cost]),
    ).toEqual([
      ["done", 200, 1],
      ["done", 404, 1],
      ["done", null, 1],
    ]);
    const files = await Promise.all(items.map((item) => snap.batches.download(item)));
    expect(files.map(({ bytes }) => kindOf(bytes))).toEqual(["image/png", "image/webp", "application/pdf"]);
    expect(files.map(({ etag }) => etag)).toEqual(items.map(({ etag }) => etag));
    expect(items[0]?.etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await snap.usage()).credits).toEqual({ remaining: 17, used: 3, total: 20 });
  });
});
