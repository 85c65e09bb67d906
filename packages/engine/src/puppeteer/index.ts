export { createPuppeteerRenderer } from "./renderer.ts";
export { findBrowser } from "./find-browser.ts";
export type { PuppeteerRendererOptions } from "./options.ts";
export type { BrowserEgress, RecycleReason, RemoteBrowserEvent, RendererEvent } from "./renderer-event.ts";
export type { SandboxMode } from "./launch-arguments.ts";
