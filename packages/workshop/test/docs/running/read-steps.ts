import { readFences, type Fence, type Page } from "../../../src/docs/markdown.ts";

/** A command of a page, and what the page says it prints. */
export interface Step {
  /** Where it stands, `path:line`. */
  readonly place: string;
  readonly command: string;
  /** `null`: the page doesn't say. */
  readonly expected: string | null;
}

/** Names that other projects give to `sh`; one name, so that nothing is left unrun by its name alone. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "shell", "console", "zsh", "shellsession"]);

/** The `sh` blocks of a page that are run, each with the `text` block behind it, in the page's order. */
export function readSteps(page: Page): Step[] {
  const fences = readFences(page).filter(({ language }) => language === "sh" || language === "text");
  return fences.flatMap((fence, index) => {
    if (fence.language !== "sh" || fence.exemption?.from === "run") return [];
    const next = fences[index + 1];
    const expected = next !== undefined && belongs(next, fence) ? next.text : null;
    return [{ place: `${page.path}:${fence.line}`, command: fence.text, expected }];
  });
}

/** Blocks that would be passed over without a word. */
export function findStrayBlocks(page: Page): string[] {
  const fences = readFences(page);
  return fences.flatMap((fence, index) => {
    const at = `${page.path}:${fence.line}`;
    if (SHELLS.has(fence.language)) return [`${at}: commands are \`sh\` here, not \`${fence.language}\``];
    if (fence.language !== "text" || fence.exemption?.from === "run") return [];
    const before = fences
      .slice(0, index)
      .findLast(({ language }) => language === "sh" || language === "text");
    return before?.language === "sh" && belongs(fence, before)
      ? []
      : [`${at}: a \`text\` block is the output of the \`sh\` block before it, in the same section`];
  });
}

function belongs(output: Fence, command: Fence): boolean {
  return output.language === "text" && output.section === command.section;
}
