import { checkCapture, LIMITS, type RenderInput } from "@snap/protocol";
import { throwIfInvalid, writeQuery } from "./write-query.ts";

/** The path of a request under the base URL, and its body if it is a POST. */
export interface WrittenCapture {
  readonly path: string;
  readonly body: string | undefined;
}

/**
 * Checks the parameters of a capture, and writes them as a query, or as JSON if they contain the page's content or are
 * too long for a URL.
 *
 * @throws SnapError for invalid parameters, the same as the service would return.
 */
export function writeCapture(parameters: object): WrittenCapture {
  const { html, markdown } = Object(parameters) as Readonly<Record<string, unknown>>;
  if (html === undefined && markdown === undefined) {
    // the compiler cannot know that a page without content has a URL
    const query = writeQuery(parameters as RenderInput).toString();
    if (query.length <= LIMITS.queryCharacters) return { path: `/snap?${query}`, body: undefined };
    return { path: "/captures", body: JSON.stringify(parameters) };
  }
  throwIfInvalid(checkCapture(parameters));
  return { path: "/captures", body: JSON.stringify(parameters) };
}
