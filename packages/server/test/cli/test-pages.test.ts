import { SnapError, type Renderer } from "@snap/engine";
import type { ErrorCode } from "@snap/protocol";
import { expect, it } from "vitest";
import { withTestPages } from "../../src/cli/doctor/test-pages.ts";

it.each<[ErrorCode, string, string]>([
  ["blocked_host", "ok", "blocks a page"],
  ["render_timeout", "render_fails", "could not test whether it blocks a page"],
  ["upstream_error", "render_fails", "could not test whether it blocks a page"],
  ["target_unreachable", "egress_open", "did not block a page"],
])("if the page that must be blocked fails with %s, doctor reports %s", async (code, expected, message) => {
  const renderer: Renderer = {
    render: () => Promise.reject(new SnapError(code, "Failed.")),
    health: () => Promise.resolve({ ready: true, reason: null }),
    close: () => Promise.resolve(),
  };
  const finding = await withTestPages((_, checks) => checks.block(renderer));
  expect(finding).toMatchObject({ code: expected, message: expect.stringContaining(message) });
});
