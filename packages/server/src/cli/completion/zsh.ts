import type { CommandCompletion } from "./commands.ts";
import { quoted } from "../../quote.ts";
import { pathPattern, valueBranches } from "./posix.ts";

/** Returns a script for zsh 5 or newer, to source or to put into a folder of `fpath` as `_snap-server`. */
export function zshScript(commands: readonly CommandCompletion[]): string {
  return `#compdef snap-server
# Completion of snap-server in zsh, after compinit: source <(snap-server completion zsh)
_snap-server() {
  local at="" word previous=\${words[CURRENT - 1]}
  local -a names flags
  if [[ \${words[CURRENT]} == --*=* ]]; then
    previous=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  for word in "\${(@)words[2, CURRENT - 1]}"; do
    case "$at $word" in
    (${pathPattern(commands)}) at="$at $word" ;;
    (*) break ;;
    esac
  done
  case "$at $previous" in
${valueBranches(commands, (argument) => {
  if (argument === "path") return "_files; return";
  return argument === "text"
    ? "_message value; return"
    : `compadd -- ${argument.map(quoted).join(" ")}; return`;
})}
  esac
  case "$at" in
${commands.map(commandBranch).join("\n")}
  esac
  _describe command names
  _describe -o option flags
}
if [[ $funcstack[1] == _snap-server ]]; then _snap-server "$@"; else compdef _snap-server snap-server; fi`;
}

function commandBranch({ path, commands, values, takesPath, options }: CommandCompletion): string {
  const names = [...commands.map(describe), ...values];
  const flags = options.flatMap(({ flags: all, description }) =>
    all.map((name) => describe({ name, description })),
  );
  return `    (${quoted(path)}) names=(${names.map(quoted).join(" ")}) flags=(${flags.map(quoted).join(" ")})${takesPath ? "; _files" : ""} ;;`;
}

/** `_describe` splits at the first colon; no name has one. */
function describe({ name, description }: { readonly name: string; readonly description: string }): string {
  return `${name}:${description}`;
}
