import type { HistoryEntry, UsageTotals } from "@snap/engine/ports";

/** 2026-01-01T00:00:00Z. */
export const FINISHED_AT = 1_767_225_600_000;

/** Returns an id for an instant. `sequence` orders the ids of one millisecond. */
export function historyId(at: number, sequence = 0): string {
  return `req_${at.toString(16).padStart(12, "0")}${sequence.toString(16).padStart(12, "0")}`;
}

/** Returns a successful capture with all fields that one can have. Its id matches its instant. */
export function sampleEntry(change: Partial<HistoryEntry> = {}): HistoryEntry {
  const { at = FINISHED_AT } = change;
  return {
    id: historyId(at),
    at,
    requestId: "0c3a5f8e-5f0b-4c53-9d3e-7a6f6f1f2b11",
    batchId: "batch_1",
    accountId: "acct_1",
    tokenId: 1,
    entryPoint: "snap",
    mode: "screenshot",
    host: "example.com",
    parameters: { url: "https://example.com/", fullPage: true },
    code: null,
    message: null,
    durationMs: 1250,
    cache: "miss",
    creditCost: 1,
    key: "0f1e",
    etag: '"9f86d081"',
    bytes: 48_213,
    targetStatus: 200,
    notes: ["wait-capped", "blocked=3"],
    expiresAt: at + 86_400_000,
    ...change,
  };
}

/** Returns a failed capture in which every optional field is empty. */
export function failedEntry(change: Partial<HistoryEntry> = {}): HistoryEntry {
  const emptyFields = { requestId: null, batchId: null, mode: null, host: null, parameters: null, key: null };
  const noRendering = { cache: null, etag: null, bytes: null, targetStatus: null, expiresAt: null };
  const result = { creditCost: 0, durationMs: 0, notes: [], ...emptyFields, ...noRendering } as const;
  return sampleEntry({ ...result, code: "render_timeout", message: "It took too long.", ...change });
}

/** Returns the totals of one token on one day. */
export function sampleTotals(change: Partial<UsageTotals> = {}): UsageTotals {
  return {
    day: "2026-01-01",
    accountId: "acct_1",
    tokenId: 1,
    renders: 3,
    hits: 20,
    failures: 1,
    credits: 3,
    renderMs: 3_600,
    longestRenderMs: 1_500,
    ...change,
  };
}
