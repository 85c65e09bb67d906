import { invalidParameter } from "../errors.ts";
import type { SentParameters } from "../parameters/parse-request.ts";
import type { SentDocument } from "./document.ts";

/**
 * Returns a capture's parameters, with its document's `url` if it has one.
 *
 * @throws SnapError `validation_failed` if they also have a `url`.
 */
export function pageParameters(parameters: SentParameters, document?: SentDocument): SentParameters {
  if (document === undefined) return parameters;
  const { url } = document;
  const isQuery = typeof parameters === "string" || parameters instanceof URLSearchParams;
  const sent = isQuery ? new URLSearchParams(parameters) : parameters;
  const hasUrl = sent instanceof URLSearchParams ? sent.has("url") : sent["url"] !== undefined;
  if (hasUrl) throw invalidParameter("url", "must not be sent with a document");
  return sent instanceof URLSearchParams ? new URLSearchParams([...sent, ["url", url]]) : { ...sent, url };
}
