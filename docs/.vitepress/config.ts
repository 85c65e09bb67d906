// VitePress requires its settings at this path. Their code is in the workshop package, with the other tools.
export { siteConfig as default } from "../../packages/workshop/src/docs/site-config.ts";
