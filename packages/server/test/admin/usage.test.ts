import type { UsageTotals } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { toCsv } from "../../src/admin/csv.ts";
import { envelopeOf } from "../http/open-service.ts";
import { openAdmin, type AdminTestService } from "./open-admin.ts";

const totals: UsageTotals = {
  day: "2026-11-20",
  accountId: "acct_a",
  tokenId: 1,
  renders: 4,
  hits: 10,
  failures: 1,
  credits: 4,
  renderMs: 1002,
  longestRenderMs: 700,
};

/** Opens a service with totals in its storage. */
async function openWith(...stored: readonly Partial<UsageTotals>[]): Promise<AdminTestService> {
  const service = await openAdmin();
  await service.embedded.history.append({
    entries: [],
    totals: stored.map((part) => Object.assign({}, totals, part)),
  });
  return service;
}

describe("usage", () => {
  it("is added up by day, account or token", async () => {
    const { read } = await openWith(
      {},
      { day: "2026-11-21", renders: 0, renderMs: 0, longestRenderMs: 0, credits: 0 },
      { day: "2026-11-21", accountId: "acct_b", tokenId: 2, hits: 0 },
    );
    const range = "from=2026-11-01&to=2026-11-30";
    expect(await read(`/usage?${range}`)).toEqual({
      entries: [
        {
          day: "2026-11-20",
          account_id: null,
          token_id: null,
          renders: 4,
          hits: 10,
          failures: 1,
          credits: 4,
          mean_render_ms: 251,
          longest_render_ms: 700,
        },
        {
          day: "2026-11-21",
          account_id: null,
          token_id: null,
          renders: 4,
          hits: 10,
          failures: 2,
          credits: 4,
          mean_render_ms: 251,
          longest_render_ms: 700,
        },
      ],
      has_more: false,
    });
    expect(await read(`/usage?${range}&by=account`)).toMatchObject({
      entries: [
        { day: null, account_id: "acct_a", token_id: null, renders: 4, hits: 20 },
        { day: null, account_id: "acct_b", token_id: null, renders: 4, hits: 0 },
      ],
    });
    expect(await read(`/usage?${range}&by=token&account=acct_b`)).toMatchObject({
      entries: [{ day: null, account_id: "acct_b", token_id: 2 }],
    });
    expect(await read(`/usage?from=2026-11-21&to=2026-11-21&token=1`)).toMatchObject({
      entries: [{ day: "2026-11-21", renders: 0, mean_render_ms: null, longest_render_ms: 0 }],
    });
  });

  it("covers the last 30 days by default", async () => {
    const day = (daysAgo: number): string =>
      new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    const { read } = await openWith({ day: day(0) }, { day: day(29) }, { day: day(31) });
    const { entries } = (await read("/usage")) as { entries: { day: string }[] };
    expect(entries.map((entry) => entry.day)).toEqual([day(29), day(0)]);
    const to = (await read(`/usage?to=${day(1)}`)) as { entries: { day: string }[] };
    expect(to.entries.map((entry) => entry.day)).toEqual([day(29)]);
  });

  it("is returned as a CSV file without formulas if format=csv", async () => {
    const { admin } = await openWith({ accountId: '=HYPERLINK("https://evil.example","x")' });
    const reply = await admin("/usage?from=2026-11-01&to=2026-11-30&by=account&format=csv");
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="usage-2026-11-01-2026-11-30.csv"',
      "cache-control": "no-store",
    });
    expect(reply.body.toString()).toBe(
      "day,account_id,token_id,renders,hits,failures,credits,mean_render_ms,longest_render_ms\r\n" +
        `,"'=HYPERLINK(""https://evil.example"",""x"")",,4,10,1,4,251,700\r\n`,
    );
  });

  it.each([
    ["from=2026-11-31", { from: ["must be a date such as 2026-03-01"] }],
    ["to=20261130", { to: ["must be a date such as 2026-03-01"] }],
    ["from=2026-11-02&to=2026-11-01", { from: ["must not be later than to, 2026-11-01"] }],
    ["by=host", { by: ["must be one of day, account, token"] }],
    ["format=xml", { format: ["must be one of json, csv"] }],
  ])("rejects ?%s", async (query, errors) => {
    const { admin } = await openAdmin();
    const reply = await admin(`/usage?${query}`);
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply).errors).toEqual(errors);
  });
});

describe("a cell", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", '"\'\rx"'],
    ["a,b", '"a,b"'],
    ['a"b', '"a""b"'],
    ["a\nb", '"a\nb"'],
    ["plain", "plain"],
    [null, ""],
    [-1, "-1"],
    [0, "0"],
  ])("with %j is written as %j", (value, cell) => {
    expect(toCsv(["name"], [{ name: value }])).toBe(`name\r\n${cell}\r\n`);
  });
});
