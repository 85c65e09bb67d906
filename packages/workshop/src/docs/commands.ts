import { type Command, CommanderError } from "commander";
import { visit } from "unist-util-visit";
import { createProgram } from "../../../server/src/cli/program.ts";
import { lineOf, readFences, type Page } from "./markdown.ts";

/**
 * Finds invalid `snap-server` calls in the `sh` blocks and code spans of a page, even in blocks that don't run: unknown
 * commands and options, invalid values, extra arguments.
 */
export function findWrongCommands(page: Page): string[] {
  const texts = readFences(page)
    .filter(({ language }) => language === "sh")
    .map(({ text, line }) => ({ text, line }));
  visit(page.tree, "inlineCode", (node) => {
    // Without arguments, the span is a name and not a call.
    if (/\b(?:snap-server|snapctl) /.test(node.value)) texts.push({ text: node.value, line: lineOf(node) });
  });
  return texts.flatMap(({ text, line }) =>
    splitCommands(text).flatMap((command) => {
      const words = readCall(command);
      const call = words === null ? command.trim() : `snap-server ${words.join(" ")}`;
      const problem = words === null ? findUncheckedCall(command) : findProblem(words);
      return problem === null ? [] : [`${page.path}:${line}: ${call}: ${problem}`];
    }),
  );
}

/** A call, optionally after a prefix such as `sudo`. The guides define the alias `snapctl`. */
const CALL =
  /^\s*(?:(?:sudo(?: -u \w+)?|env|npx|exec|docker compose exec(?: -T)? \S+|kubectl exec \S+ --|[A-Z_]+=\S*)\s+)*(?:snap-server|snapctl|docker compose run --rm -T snap)(?:\s+(?<rest>.*))?$/;
/** The part of a line that a shell passes as arguments. */
const ARGUMENTS = /^(?:"[^"]*"|'[^']*'|[^()<>&#"'])*/;
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
/** Variables and names in capitals. A number replaces them, because it is valid both as an id and as text. */
const PLACEHOLDER = /\$\w+|\$\{[^}]*\}|\b[A-Z]{2,}\b/g;

function splitCommands(block: string): string[] {
  return block.replaceAll(/\\\n\s*/g, " ").split(/\n|\||&&|;|[$<]\(/);
}

/** Returns the arguments of a `snap-server` call; `null` if `CALL` does not match. */
function readCall(command: string): string[] | null {
  const match = CALL.exec(command);
  if (match === null) return null;
  const [argumentText = ""] = ARGUMENTS.exec(match.groups?.["rest"] ?? "") ?? [];
  return Array.from(argumentText.matchAll(WORD), ([word]) =>
    word.replaceAll(/["']/g, "").replaceAll(PLACEHOLDER, "1"),
  );
}

/** Reports a call that `CALL` does not match, which would otherwise pass unchecked. */
function findUncheckedCall(command: string): string | null {
  return /\b(?:snap-server|snapctl) [a-z]/.test(command)
    ? "this command cannot be checked; add its prefix to CALL"
    : null;
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
