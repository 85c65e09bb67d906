import type { Renderer } from "@snap/engine";
import { expect, it, vi } from "vitest";
import { startRenderer } from "../../src/cli/start-renderer.ts";
import { readConfig } from "../../src/config.ts";
import { createRenderer } from "../../src/wire.ts";

vi.mock("../../src/wire.ts");

/** A renderer whose successive health checks report these values, and then `false`. */
function rendererWith(...ready: readonly boolean[]): Renderer {
  const checks = [...ready];
  return {
    render: () => Promise.reject(new Error("renders nothing")),
    health: () => Promise.resolve({ ready: checks.shift() ?? false, reason: null }),
    close: vi.fn<() => Promise<void>>().mockResolvedValue(),
  };
}

it("does not disable the sandbox if the sandboxed browser starts on the second attempt", async () => {
  const [sandboxed, unsandboxed] = [rendererWith(false, true), rendererWith(true)];
  vi.mocked(createRenderer).mockResolvedValueOnce(sandboxed).mockResolvedValueOnce(unsandboxed);
  const started = await startRenderer(readConfig({}).config, {});
  expect(started).toMatchObject({ sandbox: "on", health: { ready: true } });
  expect(started.renderer).toBe(sandboxed);
  expect(unsandboxed.close).toHaveBeenCalled();
});

it("reports a browser that starts only without the sandbox", async () => {
  const [sandboxed, unsandboxed] = [rendererWith(false, false), rendererWith(true)];
  vi.mocked(createRenderer).mockResolvedValueOnce(sandboxed).mockResolvedValueOnce(unsandboxed);
  const started = await startRenderer(readConfig({}).config, {});
  expect(started.sandbox).toBe("off");
  expect(started.renderer).toBe(unsandboxed);
  expect(sandboxed.close).toHaveBeenCalled();
});

it("does not report the sandbox of remote browsers as off, because SNAP_SANDBOX has no effect on it", async () => {
  vi.mocked(createRenderer).mockResolvedValueOnce(rendererWith(true));
  const { config } = readConfig({ SNAP_BROWSER_URL: "ws://127.0.0.1:9", SNAP_SANDBOX: "off" });
  expect((await startRenderer(config, {})).sandbox).toBe("on");
});
