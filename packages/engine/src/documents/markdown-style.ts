/**
 * The default style of Markdown documents, in a layer so any style of the document takes precedence. It sets padding
 * instead of `@page` margins, which would replace the request's margins.
 */
export const MARKDOWN_STYLE = `@layer default {
  :root {
    color: #1f2328;
    background: #fff;
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
    print-color-adjust: exact;
  }
  body { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.5rem; overflow-wrap: break-word; }
  h1, h2, h3, h4, h5, h6 { margin: 1.6em 0 0.6em; line-height: 1.25; break-after: avoid; break-inside: avoid; }
  h1 { font-size: 2em; }
  h2 { font-size: 1.5em; }
  h3 { font-size: 1.2em; }
  h4, h5, h6 { font-size: 1em; }
  h1, h2 { padding-bottom: 0.25em; border-bottom: 1px solid #d1d9e0; }
  body > :first-child { margin-top: 0; }
  body > :last-child { margin-bottom: 0; }
  p, ul, ol, dl, blockquote, pre, table, details { margin: 0 0 1em; }
  p, li, blockquote { orphans: 3; widows: 3; }
  ul, ol { padding-left: 1.8em; }
  li > ul, li > ol { margin: 0; }
  li:has(> input[type="checkbox"]), li:has(> p > input[type="checkbox"]) { list-style: none; }
  li > input[type="checkbox"], li > p > input[type="checkbox"] { margin: 0 0.4em 0 -1.5em; vertical-align: middle; }
  a { color: #0a5cc2; }
  code, pre, kbd, samp {
    font: 0.875em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", "Liberation Mono", monospace;
  }
  code { padding: 0.15em 0.35em; border-radius: 4px; background: #eff1f3; }
  pre { padding: 0.9em 1em; border-radius: 6px; background: #f6f8fa; overflow-x: auto; break-inside: avoid; }
  pre code { padding: 0; background: none; font-size: 1em; }
  blockquote { margin-left: 0; padding: 0 1em; border-left: 4px solid #d1d9e0; color: #59636e; break-inside: avoid; }
  table { border-collapse: collapse; max-width: 100%; font-variant-numeric: tabular-nums; }
  th, td { padding: 0.4em 0.8em; border: 1px solid #d1d9e0; vertical-align: top; }
  th { background: #f6f8fa; }
  th:not([align]) { text-align: left; }
  thead { display: table-header-group; }
  tr, img, svg, figure { break-inside: avoid; }
  img, svg, video { max-width: 100%; height: auto; }
  hr { height: 1px; margin: 2em 0; border: 0; background: #d1d9e0; }
  @media print {
    :root { font-size: 10.5pt; }
    body { max-width: none; padding: 18mm; box-decoration-break: clone; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  }
}
`;
