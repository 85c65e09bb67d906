// VitePress requires its settings here; they are in the workshop, next to the other tools.
export { siteConfig as default } from "../../packages/workshop/src/docs/site-config.ts";
