/** The page of a document. */
export const HTML_PAGE = "index.html";
/** Replaced by the page that is generated from it. */
export const MARKDOWN_PAGE = "index.md";
