import type { Argument, Command, Option } from "commander";
import { EXIT_CODES } from "../../../../server/src/cli/errors.ts";
import { createProgram } from "../../../../server/src/cli/program.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

const EXITS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  ok: "done",
  failure: "failed",
  usage: "wrong usage or configuration",
  interrupted: "interrupted by Ctrl-C",
};

export const commandLinePage: ReferencePage = {
  file: "command-line.md",
  title: "Command line",
  summary: "Every command of `snap-server`, with its arguments and options.",
  body() {
    const program = createProgram();
    return [
      "In a clone, `npx snap-server` finds it. Each command takes `--help`, and is set up by [the configuration](configuration.md).",
      table(
        ["exit code", "meaning"],
        Object.entries(EXIT_CODES).map(([name, value]) => [
          String(value),
          EXITS[name as keyof typeof EXIT_CODES],
        ]),
      ),
      ...listCommands(program, program.name()).map(describeCommand),
    ].join("\n\n");
  },
};

interface Named {
  readonly name: string;
  readonly command: Command;
}

/** Those that do something, not those that only gather others. */
function listCommands(parent: Command, path: string): Named[] {
  return parent.commands.flatMap((command) => {
    const name = `${path} ${command.name()}`;
    return command.commands.length > 0 ? listCommands(command, name) : [{ name, command }];
  });
}

function describeCommand({ name, command }: Named): string {
  const rows = [
    ...command.registeredArguments.map(argumentRow),
    ...command
      .createHelp()
      .visibleOptions(command)
      .filter(({ long }) => long !== "--help")
      .map(optionRow),
  ];
  return [`## ${name}`, sentence(command.description()), table(["", "", "meaning"], rows)].join("\n\n");
}

function argumentRow(argument: Argument): string[] {
  return [code(`<${argument.name()}>`), argument.required ? "required" : "", sentence(argument.description)];
}

function optionRow(option: Option): string[] {
  const choices = option.argChoices === undefined ? "" : ` One of ${option.argChoices.map(code).join(", ")}.`;
  return [
    code(option.flags),
    option.mandatory ? "required" : "",
    `${sentence(option.description)}${choices}`,
  ];
}
