import { checkContent, ProblemList } from "@snap/protocol";
import type { DocumentContent } from "../documents/document.ts";
import { rejectProblems } from "../errors.ts";

/** A capture's parameters, and its content if it has no `url`. */
export interface SeparatedContent {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly document: DocumentContent | undefined;
}

/**
 * Separates `html` or `markdown` from a capture's parameters.
 *
 * @throws SnapError `invalid_url` if `url`, `html` and `markdown` are all missing, `validation_failed` if several are
 * sent or the content is not text.
 */
export function separateContent(sent: Readonly<Record<string, unknown>>): SeparatedContent {
  const problems = new ProblemList();
  checkContent(sent, (name, message) => problems.add(name, message));
  rejectProblems(problems);
  const { html, markdown, ...parameters } = sent;
  if (typeof html === "string") return { parameters, document: { html } };
  return { parameters, document: typeof markdown === "string" ? { markdown } : undefined };
}
