/** What a capture may have in place of `url`: the page itself. */
export const CONTENT_NAMES = ["html", "markdown"] as const;

const PAGE_NAMES = ["url", ...CONTENT_NAMES] as const;
const ONE_PAGE = "send exactly one of url, html and markdown";

/**
 * Checks which page a capture is of: `url`, or content in its place. Does not check the value of `url`.
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
  if (names.length > 1) for (const name of names) report(name, `is one page too many; ${ONE_PAGE}`);
  for (const name of CONTENT_NAMES) {
    const value = sent[name];
    const isText = typeof value === "string" && value !== "" && value.isWellFormed();
    if (value !== undefined && !isText) report(name, "must be text in Unicode, at least one character");
  }
}
