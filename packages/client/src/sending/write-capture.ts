import { checkContent, DOCUMENT_ORIGIN, FaultList, LIMITS, type RenderInput } from "@snap/protocol";
import { checkParameters } from "../parameters/check-parameters.ts";
import { invalidParameters, writeQuery } from "./write-query.ts";

/** The path of a request below the base URL, and its body if it is a POST. */
export interface WrittenCapture {
  readonly path: string;
  readonly body: string | undefined;
}

/**
 * Checks the parameters of a capture, and writes them as a query, or as JSON if they have the content of the page or are too long
 * for a URL.
 *
 * @throws SnapError for invalid parameters, the same that the service would return.
 */
export function writeCapture(parameters: object): WrittenCapture {
  const { html, markdown, ...others } = Object(parameters) as Readonly<Record<string, unknown>>;
  if (html === undefined && markdown === undefined) {
    // the compiler cannot know that a page without content has a URL
    const query = writeQuery(parameters as RenderInput).toString();
    if (query.length <= LIMITS.queryCharacters) return { path: `/snap?${query}`, body: undefined };
    return { path: "/captures", body: JSON.stringify(parameters) };
  }
  const faults = new FaultList();
  checkContent(parameters as Readonly<Record<string, unknown>>, (name, message) => faults.add(name, message));
  // any valid URL stands for the content
  const failure = faults.toFailure() ?? checkParameters({ ...others, url: DOCUMENT_ORIGIN });
  if (failure !== null) throw invalidParameters(failure);
  return { path: "/captures", body: JSON.stringify(parameters) };
}
