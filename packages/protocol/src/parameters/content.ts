/** Parameters with the page's content, which a capture can have instead of `url`. */
export const CONTENT_NAMES = ["html", "markdown"] as const;

/** Parameters that can provide the page; a capture has exactly one of them. */
export const PAGE_NAMES = ["url", ...CONTENT_NAMES] as const;
const ONE_PAGE = "send exactly one of url, html and markdown";

/**
 * Checks that a capture has exactly one page: `url`, or content instead. Does not check the value of `url`.
 *
 * @example
 * checkContent({ html: "<h1>Invoice</h1>", scale: 2 }, console.log); // reports nothing
 */
export function checkContent(
  sent: Readonly<Record<string, unknown>>,
  report: (name: string, message: string) => void,
): void {
  const names = PAGE_NAMES.filter((name) => sent[name] !== undefined);
  if (names.length === 0) report("url", `is missing; ${ONE_PAGE}`);
  if (names.length > 1)
    for (const name of names) report(name, `cannot be combined with another page; ${ONE_PAGE}`);
  for (const name of CONTENT_NAMES) {
    const value = sent[name];
    const isText = typeof value === "string" && value !== "" && value.isWellFormed();
    if (value !== undefined && !isText) report(name, "must be non-empty Unicode text");
  }
}
