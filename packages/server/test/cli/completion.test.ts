// @module-tag shells
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "./command.ts";

const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

/** The commands that `snap-server --help` lists. */
let topCommands: readonly string[];

beforeAll(async () => {
  await writeFile(join(workspace.directory, "page.png"), "");
  const { stdout } = await workspace.run(["--help"]);
  const [, list = ""] = /^Commands:\n(.*?)\n\n/ms.exec(stdout) ?? [];
  topCommands = Array.from(list.matchAll(/^ {2}([\w-]+)/gm), ([, name = ""]) => name);
});

type Shell = "bash" | "zsh" | "fish";

/**
 * Calls the function like readline, which splits the line into words; `=` is one of them. A call of `compopt`, which leaves
 * the rest to readline, becomes a line of the output.
 */
const BASH_SCRIPT = `source "$1"
compopt() { printf 'compopt %s\\n' "$*"; }
COMP_WORDS=("\${@:2}") COMP_CWORD=$(($# - 2))
_snap_server
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** Presses a key in an interactive shell, and records what the completion system adds. */
const ZSH_SCRIPT = String.raw`zmodload zsh/zpty
candidates=$3
zpty -b shell zsh -f -i
zpty -w shell "PROMPT=; autoload -Uz compinit; compinit -u -D; source $1; candidates=$3"
zpty -w shell 'compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a added; builtin compadd -A added "$@"; print -rl -- $added >> $candidates; builtin compadd "$@" }'
zpty -w shell 'zle -C list list-choices _main_complete; record() { zle list; print RECORDED }
zle -N record; bindkey "^T" record; print RE""ADY'
zpty -r shell output "*READY*"
zpty -w -n shell "$2"$'\C-t'
zpty -r shell output "*RECORDED*"
cat $candidates`.replaceAll("\\$", "$");

const run = promisify(execFile);

/** Returns what the shell offers at the end of the line, sorted. */
async function complete(shell: Shell, line: string): Promise<readonly string[]> {
  const script = await scriptOf(shell);
  const { stdout } = await run(shell, argumentsOf(shell, { script, line }), { cwd: workspace.directory });
  const candidates = stdout.split("\n").map((text) => text.replace(/\t.*/, ""));
  return [...new Set(candidates)].filter((text) => text !== "").toSorted();
}

function argumentsOf(shell: Shell, { script, line }: { script: string; line: string }): readonly string[] {
  const recorded = join(workspace.directory, `candidates-${Math.random()}`);
  switch (shell) {
    case "bash":
      return ["--norc", "-c", BASH_SCRIPT, "bash", script, ...line.split(/ +|(?==)|(?<==)/)];
    case "zsh":
      return ["-f", "-c", `touch $3; ${ZSH_SCRIPT}`, "zsh", script, line, recorded];
    case "fish":
      return ["--no-config", "-c", `source ${script}; complete -C "${line}"`];
  }
}

const scripts = new Map<Shell, Promise<string>>();

/** Returns the file with the shell's script, which is written once. */
function scriptOf(shell: Shell): Promise<string> {
  const print = async (): Promise<string> => {
    const { stdout } = await workspace.run(["completion", shell]);
    const file = join(workspace.directory, `completion.${shell}`);
    await writeFile(file, stdout);
    return file;
  };
  const printed = scripts.get(shell) ?? print();
  scripts.set(shell, printed);
  return printed;
}

describe.each<[Shell]>([["bash"], ["zsh"], ["fish"]])("completion in %s", (shell) => {
  it.each<[string, readonly string[]]>([
    ["snap-server acc", ["accounts"]],
    ["snap-server tokens r", ["reveal", "revoke", "rotate"]],
    ["snap-server accounts show --j", ["--json"]],
    ["snap-server render --no-", ["--no-javascript", "--no-print-background"]],
    ["snap-server completion f", ["fish"]],
    ["snap-server batches list --status ", ["complete", "pending"]],
    ["snap-server batches list --json --status p", ["pending"]],
    ["snap-server accounts list --plan ", []],
    ["snap-server render https://example.com --format w", ["webp"]],
    ["snap-server accounts list tokens r", []],
  ])("completes %j to %j", async (line, candidates) => {
    expect(await complete(shell, line)).toEqual(candidates);
  });

  it("offers every command", async () => {
    expect(topCommands).toContain("completion");
    const completions = await complete(shell, "snap-server ");
    expect(completions.filter((name) => !name.startsWith("-"))).toEqual(topCommands.toSorted());
  });

  it("offers the options of a command, and only those", async () => {
    const completions = await complete(shell, "snap-server tokens create --");
    expect(completions).toEqual(["--ability", "--account", "--expires-in", "--help", "--json", "--name"]);
  });

  it("completes a value after an equals sign", async () => {
    const completions = await complete(shell, "snap-server tokens create --ability=s");
    expect(completions.map((text) => text.replace("--ability=", ""))).toEqual(["screenshot"]);
  });
});

describe("paths", () => {
  it.each<[Shell]>([["zsh"], ["fish"]])("are completed in %s", async (shell) => {
    expect(await complete(shell, "snap-server render -o p")).toEqual(["page.png"]);
    expect(await complete(shell, "snap-server render --output p")).toEqual(["page.png"]);
    expect(await complete(shell, "snap-server render p")).toEqual(["page.png"]);
  });

  it("are left to readline in bash", async () => {
    expect(await complete("bash", "snap-server render -o p")).toEqual(["compopt -o default"]);
    expect(await complete("bash", "snap-server render --output p")).toEqual(["compopt -o default"]);
    expect(await complete("bash", "snap-server render p")).toEqual(["compopt -o default"]);
    expect(await complete("bash", "snap-server render --sc")).toEqual(["--scale", "--script"]);
  });
});

it("rejects an unknown shell", async () => {
  expect(await workspace.run(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr:
      "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
  });
});
