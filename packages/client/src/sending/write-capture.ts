import { checkCapture, LIMITS, type ANSWERS, type RenderInput } from "@snap/protocol";
import { throwIfInvalid, writeQuery } from "./write-query.ts";

/** The path of a request under the base URL, and its body if it is a POST. */
export interface WrittenCapture {
  readonly path: string;
  readonly body: string | undefined;
}

/** What the service returns: the file, or its metadata. */
export type Answer = (typeof ANSWERS)[number];

/**
 * Checks the parameters of a capture, and writes them as a query, or as JSON if they contain the page's content or are
 * too long for a URL.
 *
 * @throws SnapError for invalid parameters, the same as the service would return.
 */
export function writeCapture(parameters: object, answer: Answer): WrittenCapture {
  const answered = answer === "file" ? parameters : { ...parameters, answer };
  const { html, markdown } = Object(parameters) as Readonly<Record<string, unknown>>;
  if (html === undefined && markdown === undefined) {
    // the compiler cannot know that a page without content has a URL
    const query = writeQuery(parameters as RenderInput);
    if (answer !== "file") query.set("answer", answer);
    const text = query.toString();
    if (text.length <= LIMITS.queryCharacters) return { path: `/snap?${text}`, body: undefined };
  } else throwIfInvalid(checkCapture(parameters));
  return { path: "/captures", body: JSON.stringify(answered) };
}
