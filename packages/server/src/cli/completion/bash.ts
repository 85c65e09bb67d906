import type { CommandCompletion } from "./commands.ts";
import { quoted } from "../../quote.ts";
import { pathPattern, valueBranches } from "./posix.ts";

/** Returns a script for bash 4 or newer. */
export function bashScript(commands: readonly CommandCompletion[]): string {
  return `# Completion of snap-server in bash: source <(snap-server completion bash)
_snap_server() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path="" candidates="" index
  # bash splits --option=value into three words.
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
    (${pathPattern(commands)}) path="$path \${COMP_WORDS[index]}" ;;
    (*) break ;;
    esac
  done
  case "$path $previous" in
${valueBranches(commands, (argument) => {
  if (argument === "path") return "compopt -o default; return";
  return argument === "text" ? "return" : `candidates=${quoted(argument.join(" "))}`;
})}
    (*)
      case "$path" in
${commands.map(commandBranch).join("\n")}
      esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
}
complete -F _snap_server snap-server`;
}

/** Paths are left to readline, unless an option is typed. */
function commandBranch(command: CommandCompletion): string {
  const paths = command.takesPath ? "[[ $current == -* ]] || { compopt -o default; return; }; " : "";
  return `      (${quoted(command.path)}) ${paths}candidates=${quoted(candidatesOf(command).join(" "))} ;;`;
}

function candidatesOf({ commands, values, options }: CommandCompletion): readonly string[] {
  return [...commands.map(({ name }) => name), ...values, ...options.flatMap(({ flags }) => flags)];
}
