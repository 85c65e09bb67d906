import { describe, expect, it } from "vitest";
import { PassThrough } from "node:stream";
import { createLogger } from "../../src/operations/logger.ts";
import { readableLog } from "../../src/operations/readable-log.ts";

/** Logs a warning; returns its line without the time. */
function lineOf(fields: object, message: string): string {
  const output = new PassThrough({ encoding: "utf8" });
  createLogger("info", readableLog(output)).warn(fields, message);
  return String(output.read()).replace(/^\d\d:\d\d:\d\d {2}/, "");
}

describe("the readable log", () => {
  it("shows a request's method, path, status and duration, without fields that only programs need", () => {
    const request = { method: "GET", path: "/v1/snap", status: 404, duration_ms: 12, bytes: 300 };
    const line = lineOf({ ...request, request_id: "req_1", account: "acct_1", cache: "MISS" }, "request");
    expect(line).toBe("warn: 404 GET /v1/snap  12 ms  cache=MISS\n");
  });

  it("shows the status or the size in a line that is not about a request", () => {
    const delivery = { receiver: "https://example.com", outcome: "http_4xx", status: 404 };
    expect(lineOf(delivery, "webhook not delivered")).toBe(
      "warn: webhook not delivered  receiver=https://example.com  outcome=http_4xx  status=404\n",
    );
    expect(lineOf({ count: 3, bytes: 4096 }, "renderings evicted")).toBe(
      "warn: renderings evicted  count=3  bytes=4096\n",
    );
  });
});
