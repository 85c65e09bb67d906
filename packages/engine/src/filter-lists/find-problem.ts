const MEBIBYTE_BYTES = 1024 * 1024;
/** Several times the largest public list. */
export const FILTER_LIST_BYTES_MAX = 32 * MEBIBYTE_BYTES;

/** An address and a name, as in `0.0.0.0 ads.example.com`. */
const HOSTS_LINE = /^(0\.0\.0\.0|127\.0\.0\.1|::1?)\s+\S/;
const COMMENT = /^(!|#(\s|$)|\[)/;
/** Element hiding, in its many variants. Only these filters can contain spaces. */
const HIDING = /#[@$?%]*#|\$\$|\$@\$/;
/** Text is not a list if more than this fraction of its lines cannot be filters. */
const PROSE_SHARE_MAX = 0.1;

/**
 * Returns what is wrong with a filter list's text, or `null`. Almost any line is a valid filter, so this recognizes
 * what people mistake for a list: an empty file, a web page, a hosts file or other text.
 *
 * @example
 * findFilterListProblem("||ads.example^"); // null
 * findFilterListProblem("<!doctype html>"); // "is a web page or XML, not a filter list"
 */
export function findFilterListProblem(text: string): string | null {
  if (Buffer.byteLength(text) > FILTER_LIST_BYTES_MAX) return `is larger than ${FILTER_LIST_BYTES_MAX} bytes`;
  if (text.trim() === "") return "is empty";
  if (text.includes("\0")) return "is a binary file, not a filter list";
  if (/^\s*</.test(text)) return "is a web page or XML, not a filter list";
  if (/^\s*(\{|\[\s*[{"\]])/.test(text)) return "is JSON, not a filter list";
  const filters = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !COMMENT.test(line));
  if (filters.length === 0) return "contains only comments, no filters";
  const fractionOf = (matches: (line: string) => boolean): number =>
    filters.filter(matches).length / filters.length;
  if (fractionOf((line) => HOSTS_LINE.test(line)) > PROSE_SHARE_MAX)
    return "is a hosts file; use the list's version in Adblock Plus format";
  if (fractionOf((line) => /\s/.test(line) && !HIDING.test(line)) > PROSE_SHARE_MAX)
    return "is not a filter list";
  return null;
}
