export { createPuppeteerRenderer } from "./renderer.ts";
export { findBrowser } from "./browser/find-browser.ts";
export type { PuppeteerRendererOptions } from "./options.ts";
export type { BrowserEgress, RecycleReason, RemoteBrowserEvent, RendererEvent } from "./renderer-event.ts";
export type { SandboxMode } from "./browser/launch-arguments.ts";
