import type { Ability } from "@snap/engine";
import { rejectProblems } from "@snap/engine/internals";
import { checkCapture, PARAMETERS, ProblemList } from "@snap/protocol";

/** Arguments of a tool call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

const OTHER_TOOL = {
  screenshot: "is for create-pdf only; omit it, or call that tool",
  pdf: "is for take-screenshot only; omit it, or call that tool",
} as const;

/**
 * Rejects arguments that belong to another tool, together with everything else that is wrong. The engine validates all
 * other calls.
 *
 * @throws SnapError `validation_failed`.
 */
export function requireMode(mode: Ability, args: Arguments): void {
  const other = mode === "pdf" ? "screenshot" : "pdf";
  const problems = new ProblemList();
  const rest: [string, unknown][] = [["pdf", mode === "pdf"]];
  for (const [name, value] of Object.entries(args)) {
    const isForOtherTool = Object.hasOwn(PARAMETERS[other], name) && !Object.hasOwn(PARAMETERS[mode], name);
    if (name === "pdf")
      problems.add(name, "is set by the tool; call take-screenshot for images, create-pdf for PDFs");
    else if (isForOtherTool) problems.add(name, OTHER_TOOL[mode]);
    else rest.push([name, value]);
  }
  if (problems.isEmpty) return;
  problems.addAll(checkCapture(Object.fromEntries(rest))?.errors);
  rejectProblems(problems);
}

/** @throws SnapError `validation_failed` if there are arguments. */
export function requireNoArguments(args: Arguments): void {
  const problems = new ProblemList();
  problems.addEach(Object.keys(args), () => "is not a parameter; this tool accepts none");
  rejectProblems(problems);
}
