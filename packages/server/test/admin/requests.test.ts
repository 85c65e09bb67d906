import { SnapError } from "@snap/engine";
import type { HistoryEntry } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { until } from "../cli/command.ts";
import { envelopeOf, jsonOf } from "../http/open-service.ts";
import { openAdmin, type AdminTestService } from "./open-admin.ts";

const DATE_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const ID = expect.stringMatching(/^req_[0-9a-f]{24}$/) as string;
const url = "https://example.com/";

interface ListedEntry {
  readonly id: string;
  readonly url?: string;
}

/** Waits until the history has `count` entries, and returns them. */
async function awaitEntries(service: AdminTestService, count: number): Promise<readonly ListedEntry[]> {
  service.clock.advance(1000);
  const { entries } = await until(
    async () => (await service.read("/requests?limit=200")) as { entries: readonly ListedEntry[] },
    (list) => list.entries.length === count,
  );
  return entries;
}

describe("a request", () => {
  it("is listed with its parameters and its result", async () => {
    const service = await openAdmin();
    const { id: account, token, tokenId } = await service.customer();
    const reply = await service.snap({ url, fullPage: "true", format: "png" }, { token });
    const [listed] = await awaitEntries(service, 1);
    expect(listed).toEqual({
      id: ID,
      at: DATE_TIME,
      request_id: reply.headers["x-request-id"],
      batch_id: null,
      account_id: account,
      token_id: tokenId,
      entry_point: "snap",
      mode: "screenshot",
      host: "example.com",
      parameters: { url, fullPage: true },
      status: 200,
      code: null,
      message: null,
      duration_ms: expect.any(Number),
      cache: "MISS",
      credit_cost: 1,
      etag: reply.headers.etag,
      bytes: reply.body.length,
      target_status: 200,
      notes: [],
      expires_at: DATE_TIME,
    });
    expect(await service.read(`/requests/${listed?.id}`)).toEqual(listed);
  });

  it("is listed with the error that the caller received", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    service.renderer.failNext(new SnapError("render_failed", "The page could not be captured."));
    await service.snap({ url }, { token });
    const [failed] = await awaitEntries(service, 1);
    expect(failed).toMatchObject({
      status: 500,
      code: "render_failed",
      message: "The page could not be captured.",
      cache: null,
      credit_cost: 0,
      etag: null,
      bytes: null,
      expires_at: null,
    });
    const rendering = await service.admin(`/requests/${failed?.id}/rendering`);
    expect([rendering.status, envelopeOf(rendering).code]).toEqual([404, "not_found"]);
  });

  it("is listed even if it has an error code from a later release", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    await service.snap({ url }, { token });
    await awaitEntries(service, 1);
    const { entries } = await service.embedded.history.page({ limit: 1 });
    const entry = {
      ...entries[0],
      id: `req_${"f".repeat(24)}`,
      code: "later_code",
    } as unknown as HistoryEntry;
    await service.embedded.history.append({ entries: [entry], totals: [] });
    const listed = (await service.read("/requests?limit=200")) as { entries: readonly ListedEntry[] };
    expect(listed.entries).toContainEqual(expect.objectContaining({ status: 500, code: "later_code" }));
  });

  it("is listed without its secrets", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    const secrets = { basicAuth: "ada:pass-phrase", headers: '{"X-Key":"key-phrase"}' };
    await service.snap({ url: "https://user:url-phrase@example.com/", ...secrets }, { token });
    service.clock.advance(1);
    await service.snap({ url, ...secrets }, { token });
    const list = await awaitEntries(service, 2);
    expect(list[0]).toMatchObject({ parameters: { url, basicAuth: "[secret]", headers: "[secret]" } });
    expect(JSON.stringify(list)).not.toMatch(/phrase/);
  });

  it("has a rendering only while that rendering is cached", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    const image = await service.snap({ url }, { token });
    service.clock.advance(1);
    const pdf = await service.snap({ url, pdf: "true" }, { token });
    const [pdfEntry, imageEntry] = await awaitEntries(service, 2);
    const imageReply = await service.admin(`/requests/${imageEntry?.id}/rendering`);
    expect(imageReply.status).toBe(200);
    expect(imageReply.body.equals(image.body)).toBe(true);
    expect(imageReply.headers).toMatchObject({
      "content-type": "image/png",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      etag: image.headers.etag,
    });
    const pdfReply = await service.admin(`/requests/${pdfEntry?.id}/rendering`);
    expect(pdfReply.headers["content-type"]).toBe("application/pdf");
    expect(pdfReply.body.equals(pdf.body)).toBe(true);
    await service.engine.purgeRenderings({ accountId: null });
    const missingReply = await service.admin(`/requests/${imageEntry?.id}/rendering`);
    expect(missingReply.status).toBe(404);
    expect(envelopeOf(missingReply).message).toBe("The rendering of this request is not cached.");
  });

  it("returns text from pages and callers as JSON, never as HTML", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    const script = "<script>alert(1)</script>";
    service.renderer.failNext(new SnapError("render_failed", `${script}\u2028`));
    await service.snap({ url: `${url}?q=${script}` }, { token });
    await awaitEntries(service, 1);
    const reply = await service.admin("/requests");
    expect(reply.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(jsonOf(reply)).toMatchObject({ entries: [{ message: `${script}\u2028` }] });
  });

  it("returns 404 for an unknown id", async () => {
    const { admin } = await openAdmin();
    for (const path of ["/requests/req_0", "/requests/req_0/rendering", "/requests?after=req_0"]) {
      const reply = await admin(path);
      expect([path, reply.status, envelopeOf(reply).code]).toEqual([path, 404, "not_found"]);
    }
  });
});

describe("the list of requests", () => {
  it("can be filtered and paginated", async () => {
    const service = await openAdmin();
    const [ada, grace] = [await service.customer(), await service.customer()];
    const begin = new Date(service.clock.now()).toISOString();
    service.clock.advance(1);
    const first = await service.snap({ url }, ada); // miss
    service.clock.advance(1);
    await service.snap({ url }, ada); // hit
    service.clock.advance(1);
    await service.snap({ url, cache: "0" }, ada); // bypass
    service.clock.advance(1);
    const middle = new Date(service.clock.now()).toISOString();
    await service.snap({ url, pdf: "1" }, grace);
    service.clock.advance(1);
    await service.snap({ url: "https://inside.example.com/" }, grace); // blocked
    service.clock.advance(1);
    await service.send("/v1/captures", {
      method: "POST",
      token: ada.token,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ html: "<p>x" }),
    });
    const all = await awaitEntries(service, 6);
    const select = async (query: Record<string, string>): Promise<readonly number[]> => {
      const { entries } = (await service.read(`/requests?${new URLSearchParams(query).toString()}`)) as {
        entries: readonly ListedEntry[];
      };
      // numbered by time; 0 is the oldest
      return entries.map(({ id }) => all.length - 1 - all.findIndex((one) => one.id === id));
    };
    expect(await select({})).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await select({ account: grace.id })).toEqual([4, 3]);
    expect(await select({ token: String(ada.tokenId) })).toEqual([5, 2, 1, 0]);
    expect(await select({ entry_point: "captures" })).toEqual([5]);
    expect(await select({ mode: "pdf" })).toEqual([3]);
    expect(await select({ host: "INSIDE.example.com" })).toEqual([4]);
    expect(await select({ host: "inside.example.com:8080" })).toEqual([4]);
    expect(await select({ host: "inside.example.com." })).toEqual([4]);
    expect(await select({ host: "not a host" })).toEqual([]);
    expect(await select({ code: "blocked_host" })).toEqual([4]);
    expect(await select({ failed: "true" })).toEqual([4]);
    expect(await select({ failed: "false", account: grace.id })).toEqual([3]);
    expect(await select({ cache: "HIT" })).toEqual([1]);
    expect(await select({ cache: "MISS", account: ada.id })).toEqual([5, 0]);
    expect(await select({ cache: "BYPASS" })).toEqual([2]);
    expect(await select({ request_id: String(first.headers["x-request-id"]) })).toEqual([0]);
    expect(await select({ since: middle })).toEqual([5, 4, 3]);
    expect(await select({ until: middle, since: begin })).toEqual([2, 1, 0]);
    const page = await service.read("/requests?limit=2");
    expect(page).toEqual({ entries: all.slice(0, 2), has_more: true });
    const rest = await service.read(`/requests?limit=4&after=${all[1]?.id}`);
    expect(rest).toEqual({ entries: all.slice(2), has_more: false });
  });

  it.each([
    ["entry_point=api", { entry_point: ["must be one of snap, signed, captures, mcp, batch, engine"] }],
    ["cache=hit", { cache: ["must be one of HIT, MISS, BYPASS; did you mean HIT?"] }],
    ["since=yesterday", { since: ["must be a date-time such as 2026-03-01T12:00:00Z"] }],
    ["token=x", { token: ["must be an integer from 1 to 999999999999999"] }],
    ["status=500", { status: ["is not a parameter"] }],
  ])("rejects ?%s", async (query, errors) => {
    const { admin } = await openAdmin();
    const reply = await admin(`/requests?${query}`);
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual(errors);
  });

  it("is empty if the history is off", async () => {
    const service = await openAdmin({ historyRetentionMs: null });
    const { token } = await service.customer();
    await service.snap({ url }, { token });
    service.clock.advance(1000);
    expect(await service.read("/requests")).toEqual({ entries: [], has_more: false });
    expect(await service.read("/health")).toMatchObject({ history: false });
  });
});
