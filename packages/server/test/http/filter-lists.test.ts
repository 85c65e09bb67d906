import { describe, expect, it } from "vitest";
import { CLIENTS } from "../mcp/clients.ts";
import { submit } from "./batches.ts";
import { envelopeOf, openService, signedQuery } from "./open-service.ts";

const url = "https://example.com/";
const MISSING_ADS =
  "requires filter lists for ads, which are not installed; the operator must set SNAP_FILTER_LISTS (or filterLists, for an embedded renderer)";
const MISSING_TRACKERS =
  "requires filter lists for trackers, which are not installed; the operator must set SNAP_FILTER_LISTS (or filterLists, for an embedded renderer)";

describe("without filter lists", () => {
  it("blockAds and blockTrackers are rejected at each entry point, free of charge", async () => {
    const service = await openService();
    const { token, tokenId, signingSecret } = await service.customer({ credits: 10 });

    const sent = await service.snap({ url, blockAds: "1", blockTrackers: "true" }, { token });
    expect([sent.status, envelopeOf(sent)]).toMatchObject([
      422,
      {
        code: "validation_failed",
        errors: { blockAds: [MISSING_ADS], blockTrackers: [MISSING_TRACKERS] },
      },
    ]);

    const query = signedQuery({ url, pdf: "true", blockAds: "true", tokenId }, signingSecret);
    const signed = await service.send(`/v1/snap/signed?${query}`);
    expect([signed.status, envelopeOf(signed).errors]).toEqual([422, { blockAds: [MISSING_ADS] }]);

    const captured = await service.send("/v1/captures", {
      method: "POST",
      token,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ html: "<h1>Hello</h1>", blockTrackers: true }),
    });
    expect([captured.status, envelopeOf(captured).errors]).toEqual([
      422,
      { blockTrackers: [MISSING_TRACKERS] },
    ]);

    const items = [{ url }, { url, blockTrackers: true }, { url, pdf: true, blockAds: true }];
    const batch = await submit(service, { items }, { token });
    expect([batch.status, envelopeOf(batch).code, envelopeOf(batch).errors]).toEqual([
      422,
      "validation_failed",
      { "items.1.blockTrackers": [MISSING_TRACKERS], "items.2.blockAds": [MISSING_ADS] },
    ]);

    const session = await CLIENTS["the older client"]({ origin: service.service.origin, token });
    const { isError, content } = await session.call("take-screenshot", { url, blockAds: true });
    expect(isError).toBe(true);
    expect(content[0]?.["text"]).toContain(`validation_failed: blockAds ${MISSING_ADS}`);

    expect(service.renderer.calls).toEqual([]);
    const usage = await service.send("/v1/usage", { token });
    expect(usage.headers["x-credits-remaining"]).toBe("10");
  });

  it("blockAds and blockTrackers can be false", async () => {
    const service = await openService();
    const { token } = await service.customer();
    expect((await service.snap({ url, blockAds: "false", blockTrackers: "0" }, { token })).status).toBe(200);
  });
});

it("with filter lists for trackers only, blockTrackers is valid and blockAds is not", async () => {
  const service = await openService({ renderer: { filterLists: ["trackers"], notes: ["blocked=3"] } });
  const { token } = await service.customer();
  const rendered = await service.snap({ url, blockTrackers: "1" }, { token });
  expect(rendered.status).toBe(200);
  expect(rendered.headers["x-render-notes"]).toBe("blocked=3");
  const refused = await service.snap({ url, blockTrackers: "1", blockAds: "1" }, { token });
  expect(envelopeOf(refused).errors).toEqual({ blockAds: [MISSING_ADS] });
});
