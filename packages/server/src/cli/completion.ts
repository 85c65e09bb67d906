import { Argument, type Command } from "commander";
import { bashScript } from "./completion/bash.ts";
import { readCommands } from "./completion/commands.ts";
import { fishScript } from "./completion/fish.ts";
import { zshScript } from "./completion/zsh.ts";
import { printLines } from "./output.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `snap-server completion`: prints a script that completes commands, options and their values. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a script that completes commands, options and values in a shell")
    .addArgument(new Argument("<shell>", "the shell to print it for").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
To load it in every new shell:
  bash: add to ~/.bashrc                    source <(snap-server completion bash)
  zsh: add to ~/.zshrc, after compinit      source <(snap-server completion zsh)
  fish: run once                            snap-server completion fish > ~/.config/fish/completions/snap-server.fish`,
    )
    .action((shell: keyof typeof SCRIPTS) => printLines(SCRIPTS[shell](readCommands(program))));
}
