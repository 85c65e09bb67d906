import { type Command, CommanderError } from "commander";
import { visit } from "unist-util-visit";
import { createProgram } from "../../../server/src/cli/program.ts";
import { lineOf, readFences, type Page } from "./markdown.ts";

/**
 * Finds invalid `snap-server` calls in the `sh` blocks and code spans of a page, even in blocks that don't run: unknown
 * commands and options, invalid values, extra arguments.
 */
export function findWrongCommands(page: Page): string[] {
  const texts = readFences(page).filter(({ language }) => language === "sh");
  visit(page.tree, "inlineCode", (node) => {
    // Without arguments, the span is a name and not a call.
    if (node.value.includes("snap-server ")) texts.push({ ...SPAN, text: node.value, line: lineOf(node) });
  });
  return texts.flatMap(({ text, line }) =>
    readCalls(text).flatMap((words) => {
      const problem = findProblem(words);
      return problem === null ? [] : [`${page.path}:${line}: snap-server ${words.join(" ")}: ${problem}`];
    }),
  );
}

const SPAN = { language: "sh", section: 0, exemption: null } as const;

/** A call, optionally after a prefix such as `sudo`. */
const CALL =
  /^\s*(?:(?:sudo(?: -u \w+)?|env|npx|exec|docker compose exec \S+|[A-Z_]+=\S*)\s+)*snap-server(?:\s+(?<rest>.*))?$/;
/** The part of a line that a shell passes as arguments. */
const PASSED = /^(?:"[^"]*"|'[^']*'|[^()<>&#"'])*/;
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
/** Variables and names in capitals. A number replaces them, because it is valid both as an id and as text. */
const PLACEHOLDER = /\$\w+|\$\{[^}]*\}|\b[A-Z]{2,}\b/g;

/** Returns the arguments of each `snap-server` call. */
function readCalls(block: string): string[][] {
  const commands = block.replaceAll(/\\\n\s*/g, " ").split(/\n|\||&&|;|\$\(/);
  return commands.flatMap((command) => {
    const match = CALL.exec(command);
    if (match === null) return [];
    const [passed = ""] = PASSED.exec(match.groups?.["rest"] ?? "") ?? [];
    return [
      Array.from(passed.matchAll(WORD), ([word]) =>
        word.replaceAll(/["']/g, "").replaceAll(PLACEHOLDER, "1"),
      ),
    ];
  });
}

function findProblem(words: readonly string[]): string | null {
  const program = createProgram().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  forEachCommand(program, (command) => {
    command.configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
    if (command.commands.length === 0) command.action(() => {});
  });
  try {
    program.parse([...words], { from: "user" });
    return null;
  } catch (error) {
    // Help, either requested or printed by a command group.
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help"))
      return null;
    return error instanceof Error ? error.message : String(error);
  }
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
