import type { Renderer } from "@snap/engine";
import type { RendererHealth } from "@snap/engine/ports";
import type { PuppeteerRendererOptions } from "@snap/engine/puppeteer";
import type { Config } from "../config.ts";
import { createRenderer } from "../wire.ts";

/** A renderer after its first attempt to start a browser, or to connect to those that run elsewhere. */
export interface StartedRenderer {
  readonly renderer: Renderer;
  readonly health: RendererHealth;
  /**
   * Whether it runs its pages in the sandbox; `off` although it should be `on` tells that it can't. Of a
   * browser elsewhere, as configured: whether it has one is its operator's business.
   */
  readonly sandbox: "on" | "off";
}

/**
 * Starts a browser as configured. When it does not start, and does without its sandbox, the sandbox is
 * what is wrong: then the renderer without it is answered, and the caller decides whether to go on.
 */
export async function startRenderer(
  config: Config,
  options: Pick<PuppeteerRendererOptions, "onEvent" | "targets" | "warmContexts">,
): Promise<StartedRenderer> {
  const renderer = await createRenderer(config, options);
  const health = await renderer.health();
  const isOurs = config.browserEndpoints.length === 0;
  if (health.ready || config.sandbox === "off" || !isOurs)
    return { renderer, health, sandbox: config.sandbox };
  const bare = await createRenderer({ ...config, sandbox: "off" }, options);
  const bareHealth = await bare.health();
  const [kept, dropped] = bareHealth.ready ? [bare, renderer] : [renderer, bare];
  await dropped.close();
  return bareHealth.ready
    ? { renderer: kept, health: bareHealth, sandbox: "off" }
    : { renderer: kept, health, sandbox: "on" };
}
