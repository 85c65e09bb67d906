import type { Argument, Command, Option } from "commander";
import { EXIT_CODES } from "../../../../server/src/cli/errors.ts";
import { createProgram } from "../../../../server/src/cli/program.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

const EXITS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  ok: "success",
  failure: "failure",
  usage: "invalid usage or configuration",
  interrupted: "interrupted by Ctrl-C",
};

export const commandLinePage: ReferencePage = {
  file: "command-line.md",
  title: "Command line",
  summary: "Every command of `snap-server`, with its arguments and options.",
  parts: () => [
    "In a clone, run it as `npx snap-server`. Every command accepts `--help`, and reads [the configuration](configuration.md).",
    table(
      ["exit code", "meaning"],
      Object.entries(EXIT_CODES).map(([name, value]) => [
        String(value),
        EXITS[name as keyof typeof EXIT_CODES],
      ]),
    ),
    ...describe(createProgram(), "snap-server"),
  ],
};

/** Describes all commands except groups. */
function describe(parent: Command, path: string): string[] {
  return parent.commands.flatMap((command) => {
    const name = `${path} ${command.name()}`;
    if (command.commands.length > 0) return describe(command, name);
    const options = command.createHelp().visibleOptions(command);
    const rows = [
      ...command.registeredArguments.map(argumentRow),
      ...options.filter(({ long }) => long !== "--help").map(optionRow),
    ];
    return [`## ${name}`, sentence(command.description()), table(["", "", "meaning"], rows)];
  });
}

function argumentRow(argument: Argument): string[] {
  return [code(`<${argument.name()}>`), argument.required ? "required" : "", sentence(argument.description)];
}

function optionRow({ flags, mandatory, description, argChoices }: Option): string[] {
  const choices = argChoices === undefined ? "" : ` One of ${argChoices.map(code).join(", ")}.`;
  return [code(flags), mandatory ? "required" : "", `${sentence(description)}${choices}`];
}
