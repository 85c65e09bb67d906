import type { Argument, Command, Option } from "commander";

/** What can follow a command on the command line. */
export interface CommandCompletion {
  /** Its words after the program name, each preceded by a space; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Candidate[];
  /** Values of its arguments, if they are known. */
  readonly values: readonly string[];
  /** Whether an argument is the path of a file or folder. */
  readonly takesPath: boolean;
  readonly options: readonly OptionCompletion[];
}

interface Candidate {
  readonly name: string;
  readonly description: string;
}

export interface OptionCompletion {
  /** Such as `-o` and `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** What follows it: nothing, one of the values, the path of a file or folder, or any text. */
  readonly takes: "nothing" | "path" | "text" | readonly string[];
}

/** Reads the whole command tree, so a new command or option is completed without further changes. */
export function readCommands(command: Command, path = ""): readonly CommandCompletion[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  return [
    {
      path,
      commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
      values: command.registeredArguments.flatMap(({ argChoices = [] }: Argument) => argChoices),
      takesPath: command.registeredArguments.some((argument) => PATH_ARGUMENT.test(argument.name())),
      options: help.visibleOptions(command).map(toOption),
    },
    ...commands.flatMap((child) => readCommands(child, `${path} ${child.name()}`)),
  ];
}

const PATH_ARGUMENT = /(^|-)(file|folder)$/;
/** Placeholders of paths, such as `--output <file>`. */
const PATHS = /[<[](file|folder)[>\]]/;

function toOption({
  short,
  long,
  flags,
  description,
  argChoices,
  required,
  optional,
}: Option): OptionCompletion {
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takes: required || optional ? (argChoices ?? (PATHS.test(flags) ? "path" : "text")) : "nothing",
  };
}
