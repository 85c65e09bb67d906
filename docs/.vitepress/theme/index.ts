// VitePress requires its theme here; it is in the workshop, next to the other tools.
export { siteTheme as default } from "../../../packages/workshop/src/docs/site-theme.ts";
