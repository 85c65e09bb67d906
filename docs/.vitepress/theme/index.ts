// The generator looks for its theme here; it is the workshop's, beside the other tools.
export { siteTheme as default } from "../../../packages/workshop/src/docs/site-theme.ts";
