/*
 * Chromium prints headers and footers from a document that runs no script and loads nothing but `<img src="data:...">`.
 * References to anything else are missing from the PDF, and some of them crash the page's process.
 */

// No two parts of a pattern next to each other match white space, so that the time is linear in its length.
const LOADING_ELEMENT = /<(?:script|link|meta|base|iframe|frame|object|embed|audio|video)\b/i;
const LOADING_ATTRIBUTE = /[\s"'/](?:src|srcset|poster|background)\s*=(?!\s*(?:["']\s*)?data:image\/)/i;
/** A reference to an element of the same document, such as a gradient of an SVG, loads nothing. */
const LOADING_STYLE = /@import|url\((?!\s*(?:["']\s*)?#)|image-set\(\s*["']/i;
/** Elements of an SVG. Their attributes are searched up to a limit, so that the time is linear. */
const LOADING_SVG = /<(?:image|use|feimage)\b[^>]{0,1000}\bhref\s*=(?!\s*(?:["']\s*)?(?:#|data:image\/))/i;

/**
 * Returns whether the HTML of a header or footer refers to nothing that would have to be loaded or run. It finds mistakes;
 * hidden references, such as those with CSS escapes, fail in the browser.
 *
 * @example
 * isSelfContained('<img src="data:image/png;base64,iVBORw0K">'); // true
 * isSelfContained('<img src="https://example.com/logo.png">'); // false
 */
export function isSelfContained(html: string): boolean {
  return ![LOADING_ELEMENT, LOADING_ATTRIBUTE, LOADING_STYLE, LOADING_SVG].some((pattern) =>
    pattern.test(html),
  );
}
