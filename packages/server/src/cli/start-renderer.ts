import type { Renderer } from "@snap/engine";
import type { RendererHealth } from "@snap/engine/ports";
import type { Config } from "../config.ts";
import { createRenderer, type RendererOptions } from "../wire.ts";

/** A renderer after its first attempt to start a browser or to connect to remote browsers. */
export interface StartedRenderer {
  readonly renderer: Renderer;
  readonly health: RendererHealth;
  /**
   * Whether pages run in the sandbox; `off` despite a configured `on` means that the sandbox does not work. `on` for remote
   * browsers, whose sandbox is not up to this process.
   */
  readonly sandbox: "on" | "off";
}

/**
 * Starts a browser as configured. If it starts only without its sandbox, returns that renderer, and the caller
 * decides whether to use it.
 */
export async function startRenderer(config: Config, options: RendererOptions): Promise<StartedRenderer> {
  const renderer = await createRenderer(config, options);
  const health = await renderer.health();
  const isLocal = config.browserEndpoints.length === 0;
  if (!isLocal) return { renderer, health, sandbox: "on" };
  if (health.ready || config.sandbox === "off") return { renderer, health, sandbox: config.sandbox };
  const unsandboxed = await createRenderer(config, { ...options, sandbox: "off" });
  const unsandboxedHealth = await unsandboxed.health();
  // the first start may also have failed for a transient reason, such as a slow disk
  const laterHealth = await renderer.health();
  if (!unsandboxedHealth.ready || laterHealth.ready) {
    await unsandboxed.close();
    return { renderer, health: laterHealth, sandbox: "on" };
  }
  await renderer.close();
  return { renderer: unsandboxed, health: unsandboxedHealth, sandbox: "off" };
}
