import { DOCUMENT_LIMITS } from "./limits.ts";
import { MAX_NAME_CHARACTERS, type ProblemList } from "./parameters/problem-list.ts";

/** A document's page. */
export const HTML_PAGE = "index.html";
/** A Markdown document's page, which is replaced by the HTML generated from it. */
export const MARKDOWN_PAGE = "index.md";

/** Adds a problem for each invalid path among a document's files. */
export function checkPaths(paths: readonly string[], problems: ProblemList): void {
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const problem = findPathProblem(path);
    if (problem !== null) {
      problems.add(path, problem);
      continue;
    }
    if (files.has(path)) problems.add(path, "is sent more than once");
    files.add(path);
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
      folders.add(path.slice(0, end));
  }
  // index.html is reserved for the page that is generated from index.md
  if (files.has(MARKDOWN_PAGE)) files.add(HTML_PAGE);
  for (const path of files) if (folders.has(path)) problems.add(path, "is both a file and a folder");
}

/** Returns why a path is invalid, or `null` if it is valid. */
export function findPathProblem(path: string): string | null {
  const isTooLong = new TextEncoder().encode(path).byteLength > DOCUMENT_LIMITS.pathBytes;
  if (isTooLong) return `must have a path of at most ${DOCUMENT_LIMITS.pathBytes} bytes`;
  if (!path.isWellFormed() || /[\p{Cc}\\]/u.test(path))
    return "must have a path without backslashes, control characters or unpaired surrogates";
  // decoders replace each invalid sequence with this character
  if (path.includes("\u{FFFD}")) return "must have a name that is valid UTF-8";
  if (path.startsWith("/") || /^[a-z]:/i.test(path))
    return "must have a relative path, without a drive letter";
  const segments = path.split("/");
  return segments.some((segment) => segment === "" || segment === "." || segment === "..")
    ? "must have a path without empty, . or .. segments"
    : null;
}

/** Adds a problem unless a document's files have exactly one page. */
export function checkPage(paths: readonly string[], problems: ProblemList): void {
  const [hasHtml, hasMarkdown] = [paths.includes(HTML_PAGE), paths.includes(MARKDOWN_PAGE)];
  if (hasHtml && hasMarkdown)
    problems.add(MARKDOWN_PAGE, "cannot be sent with index.html; send only one of them");
  if (hasHtml || hasMarkdown) return;
  const nearMiss = paths.find((path) => /(^|\/)index\.(html?|md|markdown)$/i.test(path));
  const hint = nearMiss === undefined ? "" : `; rename or move ${nearMiss.slice(0, MAX_NAME_CHARACTERS)}`;
  problems.add("body", `must contain index.html or index.md at its root${hint}`);
}
