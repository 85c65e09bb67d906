import { checkCapture, checkContent, ProblemList } from "@snap/protocol";
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
 * @throws SnapError if not exactly one of `url`, `html` and `markdown` is sent, or if the content
 * is empty or not text:
 * `invalid_url` if a missing `url` is the only problem, `validation_failed` otherwise, with all problems.
 */
export function separateContent(sent: Readonly<Record<string, unknown>>): SeparatedContent {
  const problems = new ProblemList();
  checkContent(sent, (name, message) => problems.add(name, message));
  if (!problems.isEmpty) {
    // a problem with `url` is already in the list, with how to fix it
    const { url: _, ...others } = checkCapture(sent)?.errors ?? {};
    problems.addAll(others);
    rejectProblems(problems);
  }
  const { html, markdown, ...parameters } = sent;
  if (typeof html === "string") return { parameters, document: { html } };
  return { parameters, document: typeof markdown === "string" ? { markdown } : undefined };
}
