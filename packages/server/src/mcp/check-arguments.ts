import type { Ability } from "@snap/engine";
import { rejectProblems } from "@snap/engine/internals";
import { ProblemList, PARAMETERS } from "@snap/protocol";

/** Arguments of a tool call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

const OTHER_TOOL = {
  screenshot: "is for create-pdf only; omit it, or call that tool",
  pdf: "is for take-screenshot only; omit it, or call that tool",
} as const;

/**
 * Rejects arguments that belong to another tool. The engine validates everything else.
 *
 * @throws SnapError `validation_failed`.
 */
export function requireMode(mode: Ability, args: Arguments): void {
  const other = mode === "pdf" ? "screenshot" : "pdf";
  reject(args, (name) => {
    if (name === "pdf") return "is set by the tool; call take-screenshot for images, create-pdf for PDFs";
    const isOthers = Object.hasOwn(PARAMETERS[other], name) && !Object.hasOwn(PARAMETERS[mode], name);
    return isOthers ? OTHER_TOOL[mode] : null;
  });
}

/** @throws SnapError `validation_failed` if there are arguments. */
export function requireNone(args: Arguments): void {
  reject(args, () => "is not a parameter; this tool accepts none");
}

function reject(args: Arguments, findProblem: (name: string) => string | null): void {
  const problems = new ProblemList();
  for (const name of Object.keys(args)) {
    const problem = findProblem(name);
    if (problem !== null) problems.add(name, problem);
  }
  rejectProblems(problems);
}
