import { quoted } from "../../quote.ts";
import type { CommandCompletion, OptionCompletion } from "./commands.ts";

/*
 * The shared part of the scripts for bash and zsh: the patterns of their `case` commands.
 */

/** Matches every command but the program itself. */
export function pathPattern(commands: readonly CommandCompletion[]): string {
  return commands
    .filter(({ path }) => path !== "")
    .map(({ path }) => quoted(path))
    .join(" | ");
}

/** One branch for each option with a value; it matches the command and the option before the cursor. */
export function valueBranches(
  commands: readonly CommandCompletion[],
  complete: (argument: Exclude<OptionCompletion["takes"], "nothing">) => string,
): string {
  return commands
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, takes }) => {
        if (takes === "nothing") return [];
        const pattern = flags.map((flag) => quoted(`${path} ${flag}`)).join(" | ");
        return [`    (${pattern}) ${complete(takes)} ;;`];
      }),
    )
    .join("\n");
}
