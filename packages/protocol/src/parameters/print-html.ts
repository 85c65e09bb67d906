/*
 * Chromium prints headers and footers from a document that runs no script and loads nothing but `<img src="data:...">`.
 * References to anything else are missing from the PDF, and some of them crash the page's process.
 */

// No two adjacent parts of a pattern match white space, so matching takes time linear in the length of the HTML.
const LOADING_ELEMENT = /<(?:script|link|iframe|frame|object|embed|audio|video)\b/i;
const LOADING_ATTRIBUTE = /[\s"'/](?:src|srcset|poster|background)\s*=(?!\s*(?:["']\s*)?data:image\/)/i;
/** A reference to an element in the same document, such as an SVG gradient, loads nothing. */
const LOADING_STYLE = /@import|url\((?!\s*(?:["']\s*)?#)|image-set\(\s*["']/i;
/** SVG elements that load what their `href` names. */
const SVG_ELEMENT = /<(?:image|use|feimage)(?=[\t\n\f\r />])/i;
const LOADING_HREF = /\bhref\s*=(?!\s*(?:["']\s*)?(?:#|data:image\/))/i;
/**
 * The attributes of an element, up to the end of its tag. Each ends where it does in a browser (HTML, 13.2.5.32 to
 * 13.2.5.40), so a `>` in a value does not end the tag. Does not match malformed attributes.
 */
const ATTRIBUTES =
  /^(?:[\t\n\f\r /]+[^\t\n\f\r "'/<=>]+(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r "'>][^\t\n\f\r >]*(?=[\t\n\f\r >])))?)*[\t\n\f\r /]*>/;

/**
 * Returns whether the HTML of a header or footer loads nothing and runs no script. Catches mistakes only;
 * obfuscated references, such as those with CSS escapes, fail in the browser.
 *
 * @example
 * isSelfContained('<img src="data:image/png;base64,iVBORw0K">'); // true
 * isSelfContained('<img src="https://example.com/logo.png">'); // false
 */
export function isSelfContained(html: string): boolean {
  const patterns = [LOADING_ELEMENT, LOADING_ATTRIBUTE, LOADING_STYLE];
  const loadsSomething = patterns.some((pattern) => pattern.test(html));
  return !loadsSomething && html.split(SVG_ELEMENT).slice(1).every(loadsNothing);
}

/**
 * Checks the text from an SVG element's name to the next match of `SVG_ELEMENT`, even one in an attribute value or a
 * comment. Every match is checked, and no text twice, so the check finds each element that a browser finds, in linear
 * time.
 */
function loadsNothing(afterName: string): boolean {
  const [attributes] = ATTRIBUTES.exec(afterName) ?? [];
  return attributes !== undefined && !LOADING_HREF.test(attributes);
}
