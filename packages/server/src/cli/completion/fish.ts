import type { CommandCompletion, OptionCompletion } from "./commands.ts";

/** Returns a script for fish 3 or newer. */
export function fishScript(commands: readonly CommandCompletion[]): string {
  const paths = commands.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `# Completion of snap-server in fish: snap-server completion fish | source
function __snap_server_at --description 'Tests whether the words before the cursor name this command'
    set --local at ''
    set --local words (commandline --tokenize --current-process --cut-at-cursor)
    set --erase words[1]
    for word in $words
        switch "$at $word"
            case ${paths.join(" ")}
                set at "$at $word"
            case '*'
                break
        end
    end
    test "$at" = "$argv[1]"
end
complete --command snap-server --no-files
${commands.flatMap(linesOf).join("\n")}`;
}

function linesOf({ path, commands, values, takesPath, options }: CommandCompletion): readonly string[] {
  // fish parses the condition as a separate command line, so the path is quoted twice
  const condition = `complete --command snap-server --condition ${quoted(`__snap_server_at ${quoted(path)}`)}`;
  return [
    ...commands.map(
      ({ name, description }) =>
        `${condition} --arguments ${quoted(name)} --description ${quoted(description)}`,
    ),
    ...(values.length === 0 ? [] : [`${condition} --arguments ${quoted(values.join(" "))}`]),
    ...(takesPath ? [`${condition} --force-files`] : []),
    ...options.map((option) => `${condition} ${flagsOf(option)} --description ${quoted(option.description)}`),
  ];
}

function flagsOf({ flags, takes }: OptionCompletion): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `--long-option ${flag.slice(2)}` : `--short-option ${flag.slice(1)}`,
  );
  return [...names, ...valueOf(takes)].join(" ");
}

function valueOf(argument: OptionCompletion["takes"]): readonly string[] {
  if (argument === "nothing") return [];
  if (argument === "path") return ["--require-parameter", "--force-files"];
  return argument === "text" ? ["--exclusive"] : ["--exclusive", `--arguments ${quoted(argument.join(" "))}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
