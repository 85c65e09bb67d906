import { createClient, type ClientOptions, type SnapClient } from "../src/index.ts";
import { openRawServer, recordWaits, TOKEN, type RawServer } from "./raw-server.ts";

/* A fake of the endpoints that submit a batch and return it. */

export const BATCH_ID = "batch_01";

const NOT_FOUND = {
  code: "not_found",
  message: "There is no such batch.",
  request_id: "7d1c0a51-9a38-4d5b-8a38-6f4f3b7c2d10",
} as const;

type Status = "queued" | "rendering" | "done" | "failed" | "paused";

/** Returns an item with this status. */
export function item(index: number, status: Status, signedUrl: string | null = null): object {
  const finished = status === "done" || status === "failed";
  return {
    id: `item_${index}`,
    url: `https://example.com/${index}`,
    status,
    error: status === "failed" ? { code: "render_timeout", message: "It took too long." } : null,
    etag: status === "done" ? '"5f3c"' : null,
    target_status: status === "done" ? 200 : null,
    expires_at: status === "done" ? "2026-03-02T12:00:00Z" : null,
    signed_url: signedUrl,
    credit_cost: finished ? (status === "done" ? 1 : 0) : null,
  };
}

/** Returns a batch with these items. */
export function batch(...items: readonly object[]): object {
  const complete = items.every((each) => "credit_cost" in each && each.credit_cost !== null);
  return {
    id: BATCH_ID,
    status: complete ? "complete" : "pending",
    created_at: "2026-03-01T12:00:00Z",
    finished_at: complete ? "2026-03-01T12:01:00Z" : null,
    prunes_at: "2026-03-08T12:01:00Z",
    webhook: null,
    items,
  };
}

export interface BatchService extends RawServer {
  readonly snap: SnapClient;
  readonly waitsMs: readonly number[];
  /** The parsed bodies of `POST /renders`. */
  readonly postedBodies: unknown[];
}

/**
 * Opens a fake of `POST /renders` and `GET /renders/batch_01`. Each GET returns the next document,
 * and repeats the last one; a POST returns the same document as the GET after it.
 */
export async function openBatchService(
  documents: readonly object[],
  options: Partial<ClientOptions> = {},
): Promise<BatchService> {
  const pacing = recordWaits();
  const postedBodies: unknown[] = [];
  let polls = 0;
  const server = await openRawServer((response, request) => {
    const isPost = request.method === "POST" && request.url === "/v1/renders";
    const exists = isPost || request.url === `/v1/renders/${BATCH_ID}`;
    const document = exists ? documents[Math.min(polls, documents.length - 1)] : undefined;
    if (!isPost) polls += 1;
    response.writeHead(document === undefined ? 404 : isPost ? 202 : 200, {
      "Content-Type": "application/json",
    });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      if (isPost) postedBodies.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.end(JSON.stringify(document ?? NOT_FOUND));
    });
  });
  const snap = createClient({ baseUrl: server.origin, token: TOKEN, pacing, ...options });
  return { ...server, snap, waitsMs: pacing.waitsMs, postedBodies };
}
