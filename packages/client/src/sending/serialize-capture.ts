import { captureQuery, checkCapture, type Answer } from "@snap/protocol";
import { requireObject, throwIfInvalid } from "./throw-if-invalid.ts";

/** The path of a request under the base URL, with the query of a GET, and the body of a POST. */
export interface SerializedCapture {
  readonly path: string;
  readonly body: string | undefined;
}

/**
 * Checks the parameters of a capture, and writes them as a query or as JSON.
 *
 * @throws SnapError for invalid parameters, the same as the service would return; `misconfigured` if they are not an
 * object.
 */
export function serializeCapture(parameters: object, answer: Answer): SerializedCapture {
  requireObject(parameters);
  throwIfInvalid(checkCapture(parameters));
  const requestParameters = answer === "file" ? { ...parameters } : { ...parameters, answer };
  const query = captureQuery(requestParameters);
  return query === null
    ? { path: "/captures", body: JSON.stringify(requestParameters) }
    : { path: `/snap?${String(query)}`, body: undefined };
}
