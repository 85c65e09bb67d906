/*
 * Chromium prints headers and footers from a document that runs no script and loads nothing but `<img src="data:...">`.
 * References to anything else are missing from the PDF, and some of them crash the page's process.
 */

// No two adjacent parts of a pattern match white space, so matching takes time linear in the length of the HTML.
const LOADING_ELEMENT = /<(?:script|link|meta|base|iframe|frame|object|embed|audio|video)\b/i;
const LOADING_ATTRIBUTE = /[\s"'/](?:src|srcset|poster|background)\s*=(?!\s*(?:["']\s*)?data:image\/)/i;
/** A reference to an element in the same document, such as an SVG gradient, loads nothing. */
const LOADING_STYLE = /@import|url\((?!\s*(?:["']\s*)?#)|image-set\(\s*["']/i;
/** SVG elements. Their attributes are searched up to a limit, so the time is linear. */
const LOADING_SVG = /<(?:image|use|feimage)\b[^>]{0,1000}\bhref\s*=(?!\s*(?:["']\s*)?(?:#|data:image\/))/i;

/**
 * Returns whether the HTML of a header or footer loads nothing and runs no script. Catches mistakes only;
 * obfuscated references, such as those with CSS escapes, fail in the browser.
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
