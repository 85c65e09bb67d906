import { type Command, CommanderError } from "commander";
import { visit } from "unist-util-visit";
import { createProgram } from "../../../server/src/cli/program.ts";
import { lineOf, readFences, type Page } from "./markdown.ts";

/**
 * Calls of `snap-server` in the `sh` blocks and code spans of a page that the command line would refuse,
 * run or not: a command or an option that there isn't, a value that would not do, an argument too many.
 */
export function findWrongCommands(page: Page): string[] {
  const texts = readFences(page).filter(({ language }) => language === "sh");
  visit(page.tree, "inlineCode", (node) => {
    // Alone it is a name.
    if (node.value.includes("snap-server ")) texts.push({ ...SPAN, text: node.value, line: lineOf(node) });
  });
  return texts.flatMap(({ text, line }) =>
    readCalls(text).flatMap((words) => {
      const fault = findFault(words);
      return fault === null ? [] : [`${page.path}:${line}: snap-server ${words.join(" ")}: ${fault}`];
    }),
  );
}

const SPAN = { language: "sh", section: 0, exemption: null } as const;

/** What may stand before a command for it still to be one. */
const CALL =
  /^\s*(?:(?:sudo(?: -u \w+)?|env|npx|exec|docker compose exec \S+|[A-Z_]+=\S*)\s+)*snap-server(?:\s+(?<rest>.*))?$/;
/** As far as a shell would pass it on. */
const PASSED = /^(?:"[^"]*"|'[^']*'|[^()<>&#"'])*/;
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
/** What a variable or a name in capitals stands for is not known here; a number does for ids and for texts. */
const PLACEHOLDER = /\$\w+|\$\{[^}]*\}|\b[A-Z]{2,}\b/g;

/** The words behind each `snap-server`. */
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

function findFault(words: readonly string[]): string | null {
  const program = createProgram().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  forEachCommand(program, (command) => {
    command.configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
    if (command.commands.length === 0) command.action(() => {});
  });
  try {
    program.parse([...words], { from: "user" });
    return null;
  } catch (error) {
    // Help, asked for or printed by a command that only gathers others.
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help"))
      return null;
    return error instanceof Error ? error.message : String(error);
  }
}

function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}
