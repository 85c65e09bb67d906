import type { Argument, Command, Option } from "commander";
import { EXIT_CODES, FAILURE_CODES } from "../../../../server/src/cli/errors.ts";
import { createProgram } from "../../../../server/src/cli/program.ts";
import { FINDING_CHECKS } from "../../../../server/src/operator-error.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
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
    "In a clone, run it as `npx snap-server`. Every command accepts `--help`, and nearly all read [the configuration](configuration.md).",
    "`<account>` is an account's id, or its email address in upper or lower case.",
    table(
      ["exit code", "meaning"],
      Object.entries(EXIT_CODES).map(([name, value]) => [
        String(value),
        EXIT_CODE_MEANINGS[name as keyof typeof EXIT_CODES],
      ]),
    ),
    "## Errors",
    "An error is printed to standard error, after `error:`. With `--json`, it is one JSON object there, with the same exit code; `advice` is `null` if the message needs none. If there are warnings, the object lists them under `warnings`, even when the command succeeds.",
    '```text\n{"error":{"code":"account_not_found","message":"account acct_1 not found","advice":"`snap-server accounts list` lists all accounts"}}\n```',
    'A command that changes something logs the change to standard error, on a separate line, which is a JSON object with `"msg":"audit"` unless standard error is a terminal. So if the command fails after the change, the error is the last line.',
    table(
      ["code", "meaning"],
      Object.entries(FAILURE_CODES).map(([name, meaning]) => [code(name), meaning]),
    ),
    "If something is wrong with the installation, the code is one that a check of `doctor` also reports:",
    table(["check", "codes"], findingRows()),
    "A failed render has one of [the API's codes](errors.md), and its [notes](headers.md#notes) in `notes`.",
    "## Lists",
    `${findListCommands(createProgram(), "").map(code).join(", ")} print up to 50 entries by default, how many more there are, and the command that shows them. With \`--json\`, they print an array of all entries; if \`--limit\` or \`--after\` is also given, they print an object with the entries, \`more\`, the number of remaining entries, and \`next\`, the value of \`--after\` for the next page, or \`null\`:`,
    '```text\n{"accounts":[…],"more":12,"next":"acct_0123456789abcdef0123"}\n```',
    ...describe(createProgram(), "snap-server"),
  ],
};

/** Returns the checks of `doctor` with their codes. */
function findingRows(): string[][] {
  const codes = Object.groupBy(Object.entries(FINDING_CHECKS), ([, check]) => check);
  return Object.entries(codes).map(([check, entries]) => [
    check,
    entries.map(([name]) => code(name)).join(", "),
  ]);
}

/** Returns the commands that print pages. */
function findListCommands(parent: Command, prefix: string): string[] {
  return parent.commands.flatMap((command) => [
    ...(command.options.some(({ long }) => long === "--after") ? [`${prefix}${command.name()}`] : []),
    ...findListCommands(command, `${prefix}${command.name()} `),
  ]);
}

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
    const parameters = rows.length === 0 ? [] : [table(["", "", "meaning"], rows)];
    return [`## ${name}`, sentence(command.description()), ...parameters];
  });
}

function argumentRow(argument: Argument): string[] {
  const { required, description, argChoices } = argument;
  const name = code(required ? `<${argument.name()}>` : `[${argument.name()}]`);
  return [name, required ? "required" : "", describeValue(description, argChoices)];
}

function optionRow({ flags, mandatory, description, argChoices }: Option): string[] {
  return [code(flags), mandatory ? "required" : "", describeValue(description, argChoices)];
}

function describeValue(description: string, choices: readonly string[] | undefined): string {
  return `${sentence(description)}${choices === undefined ? "" : ` One of ${choices.map(code).join(", ")}.`}`;
}
