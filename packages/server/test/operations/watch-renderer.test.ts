import { expect, it } from "vitest";
import { createLogger } from "../../src/operations/logger.ts";
import { watchRenderer } from "../../src/operations/watch-renderer.ts";

it("logs the first start of a browser at the info level, and later ones at the debug level", () => {
  const lines: unknown[] = [];
  const logger = createLogger("debug", { write: (line) => void lines.push(JSON.parse(line)) });
  const onEvent = watchRenderer({ logger, metrics: false });
  onEvent({ type: "browser-started", pid: 7, version: "HeadlessChrome/156.0" });
  onEvent({ type: "browser-started", pid: 8, version: "HeadlessChrome/156.0" });
  expect(lines).toMatchObject([
    { level: "info", msg: "browser started", pid: 7, version: "HeadlessChrome/156.0" },
    { level: "debug", msg: "browser started", pid: 8 },
  ]);
});

it("logs fields with the names that other lines use", () => {
  const lines: string[] = [];
  const logger = createLogger("debug", { write: (line) => void lines.push(line) });
  const onEvent = watchRenderer({ logger, metrics: false });
  onEvent({ type: "browser-start-failed", reason: "it exited", retryInMs: 500 });
  onEvent({ type: "render-retried", reason: "the browser ended", requestId: "request-1" });
  expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
    ["level", "time", "instance", "reason", "retry_in_ms", "msg"],
    ["level", "time", "instance", "reason", "request_id", "msg"],
  ]);
});
