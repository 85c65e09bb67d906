import { describe, expect, it } from "vitest";
import { CLIENTS } from "../mcp/clients.ts";
import { submit } from "./batches.ts";
import { envelopeOf, openService, signedQuery } from "./open-service.ts";

const url = "https://example.com/";
const MISSING =
  "requires sharp, which is not installed; the operator must install it with `npm install sharp`";

describe("without sharp", () => {
  it("output and the resize parameters are rejected at each entry point, free of charge", async () => {
    const service = await openService();
    const { token, tokenId, signingSecret } = await service.customer({ credits: 10 });

    const sent = await service.snap({ url, output: "avif", resizeWidth: "100" }, { token });
    expect([sent.status, envelopeOf(sent)]).toMatchObject([
      422,
      { code: "validation_failed", errors: { output: [MISSING], resizeWidth: [MISSING] } },
    ]);

    const query = signedQuery({ url, resizeHeight: "100", tokenId }, signingSecret);
    const signed = await service.send(`/v1/snap/signed?${query}`);
    expect([signed.status, envelopeOf(signed).errors]).toEqual([422, { resizeHeight: [MISSING] }]);

    const captured = await service.send("/v1/captures", {
      method: "POST",
      token,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ html: "<h1>Hello</h1>", output: "avif" }),
    });
    expect([captured.status, envelopeOf(captured).errors]).toEqual([422, { output: [MISSING] }]);

    const batch = await submit(service, { items: [{ url }, { url, output: "avif" }] }, { token });
    expect([batch.status, envelopeOf(batch).errors]).toEqual([422, { "items.1.output": [MISSING] }]);

    const session = await CLIENTS["the older client"]({ origin: service.service.origin, token });
    const { isError, content } = await session.call("take-screenshot", { url, resizeWidth: 100 });
    expect(isError).toBe(true);
    expect(content[0]?.["text"]).toContain(`validation_failed: resizeWidth ${MISSING}`);

    expect(service.renderer.calls).toEqual([]);
    const usage = await service.send("/v1/usage", { token });
    expect(usage.headers["x-credits-remaining"]).toBe("10");
  });
});

describe("with sharp", () => {
  it("an AVIF image is served, and cached under its own key", async () => {
    const service = await openService({ renderer: { processesImages: true } });
    const { token } = await service.customer({ credits: 10 });
    const png = await service.snap({ url }, { token });
    const avif = await service.snap({ url, output: "avif" }, { token });
    expect([avif.status, avif.headers["content-type"], avif.headers["x-cache"]]).toEqual([
      200,
      "image/avif",
      "MISS",
    ]);
    expect(avif.headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
    expect(avif.headers["etag"]).not.toBe(png.headers["etag"]);
    const again = await service.snap({ url, output: "avif", quality: "50" }, { token });
    expect([again.headers["x-cache"], again.headers["etag"]]).toEqual(["HIT", avif.headers["etag"]]);
  });

  it.each([
    [{ output: "avif", format: "webp" }, "output"],
    [{ resizeFit: "cover" }, "resizeFit"],
    [{ pdf: "1", resizeWidth: "100" }, "resizeWidth"],
  ])("%o is invalid in GET /snap and in a batch", async (sent, name) => {
    const service = await openService({ renderer: { processesImages: true } });
    const { token } = await service.customer();
    const single = await service.snap({ url, ...sent }, { token });
    expect([single.status, Object.keys(envelopeOf(single).errors ?? {})]).toEqual([422, [name]]);
    const batch = await submit(service, { items: [{ url, ...sent }] }, { token });
    expect([batch.status, Object.keys(envelopeOf(batch).errors ?? {})]).toEqual([422, [`items.0.${name}`]]);
  });
});
