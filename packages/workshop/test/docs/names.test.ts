import { expect, it } from "vitest";
import { parsePage } from "../../src/docs/markdown.ts";
import { createNameCheck } from "../../src/docs/names.ts";

it("finds each unknown variable and metric once", () => {
  const find = createNameCheck();
  const text = `Set \`SNAP_LOG_LEVEL\` or \`SNAP_LOG_LVL\`, and SNAP_LOG_LVL again.

| \`snap_captures_total{cache}\` | \`snap_capture_total\` |
| \`snap_render_duration_seconds_bucket\` is a part of \`snap_render_duration_seconds\` | |
`;
  expect(find(parsePage("docs/a.md", text))).toEqual([
    "docs/a.md: unknown name SNAP_LOG_LVL",
    "docs/a.md: unknown name snap_capture_total",
    "docs/a.md: unknown name snap_render_duration_seconds_bucket",
  ]);
});
