// VitePress requires a theme at this path. Its code is in the workshop package, with the other tools.
export { siteTheme as default } from "../../../packages/workshop/src/docs/site-theme.ts";
