/** A document's page. */
export const HTML_PAGE = "index.html";
/** A Markdown document's page, which is replaced by the HTML generated from it. */
export const MARKDOWN_PAGE = "index.md";
