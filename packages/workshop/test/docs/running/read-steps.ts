import { readFences, type Fence, type Page } from "../../../src/docs/markdown.ts";

/** A command on a page, with its documented output. */
export interface Step {
  /** The place, as `path:line`. */
  readonly location: string;
  readonly command: string;
  /** `null` if the page shows no output. */
  readonly expected: string | null;
}

/** Other language tags for shells. They are rejected, because only `sh` blocks run. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "shell", "console", "zsh", "shellsession"]);

/** Returns the `sh` blocks on a page that run, each with the `text` block after it, in order. */
export function readSteps(page: Page): Step[] {
  const fences = readFences(page).filter(({ language }) => language === "sh" || language === "text");
  return fences.flatMap((fence, index) => {
    if (fence.language !== "sh" || fence.exemption?.from === "run") return [];
    const next = fences[index + 1];
    const expected = next !== undefined && belongs(next, fence) ? next.text : null;
    return [{ location: `${page.path}:${fence.line}`, command: fence.text, expected }];
  });
}

/** Finds blocks that would be silently ignored. */
export function findStrayBlocks(page: Page): string[] {
  const fences = readFences(page);
  return fences.flatMap((fence, index) => {
    const at = `${page.path}:${fence.line}`;
    if (SHELLS.has(fence.language)) return [`${at}: use \`sh\` for commands, not \`${fence.language}\``];
    if (fence.language !== "text" || fence.exemption?.from === "run") return [];
    const before = fences
      .slice(0, index)
      .findLast(({ language }) => language === "sh" || language === "text");
    return before?.language === "sh" && belongs(fence, before)
      ? []
      : [`${at}: a \`text\` block must follow the \`sh\` block that prints it, in the same section`];
  });
}

function belongs(output: Fence, command: Fence): boolean {
  return output.language === "text" && output.section === command.section;
}
