import { checkParameters, ProblemList } from "@snap/protocol";
import { rejectProblems } from "../errors.ts";
import type { SentParameters } from "../parameters/parse-request.ts";
import { readQuery } from "../parameters/read-query.ts";
import type { SentDocument } from "./document.ts";

/**
 * Returns a capture's parameters. If it has a document, `url` is the document's.
 *
 * @param parameters - JavaScript callers can omit them.
 * @throws SnapError `validation_failed`, with all problems, if there is a document and the parameters have a `url`.
 */
export function pageParameters(
  parameters: SentParameters | null | undefined,
  document?: SentDocument,
): SentParameters {
  const sent = parameters ?? {};
  if (document === undefined) return sent;
  const { url } = document;
  if (typeof sent !== "string" && !(sent instanceof URLSearchParams)) {
    if (sent["url"] !== undefined) rejectUrl({ ...sent, url }, new ProblemList());
    return { ...sent, url };
  }
  const query = new URLSearchParams(sent);
  if (query.has("url")) {
    const { input, problems } = readQuery(query);
    rejectUrl({ ...Object.fromEntries(input), url }, problems);
  }
  return new URLSearchParams([...query, ["url", url]]);
}

/** @param input - Has the document's `url`, so only the other parameters can be invalid. */
function rejectUrl(input: Readonly<Record<string, unknown>>, problems: ProblemList): void {
  problems.add("url", "must not be sent with a document");
  problems.addAll(checkParameters(input)?.errors);
  rejectProblems(problems, "validation_failed");
}
