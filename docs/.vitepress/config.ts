// The generator looks for its settings here; they are the workshop's, beside the other tools.
export { siteConfig as default } from "../../packages/workshop/src/docs/site-config.ts";
