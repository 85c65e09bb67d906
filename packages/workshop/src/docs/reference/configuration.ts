import { listVariables } from "../../../../server/src/config.ts";
import { SETTINGS } from "../../../../server/src/config/settings.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

export const configurationPage: ReferencePage = {
  file: "configuration.md",
  title: "Configuration",
  summary: "The environment variables that configure the service.",
  parts: () => [
    "The service reads them once, at startup, and treats an empty variable as unset. If a value is invalid, it exits with code 2 and a message that names every invalid variable. It warns about unknown variables that begin with `SNAP_`.",
    table(
      ["variable", "meaning", "default", "format"],
      listVariables().map(({ name, meaning, defaultDescription }) => [
        code(name),
        sentence(meaning),
        defaultDescription,
        formatOf(name),
      ]),
    ),
    "Each variable whose value is a secret can be replaced by the same variable with `_FILE`: the path of a file that contains the value, such as one that a container platform or systemd mounts. Line breaks at the end of the file are dropped. Set only one of the two.",
    "A duration is a whole number with `ms`, `s`, `m`, `h` or `d`: `90s`, `7d`.",
  ],
};

/** Reads the format from the error for an invalid value. A variable without an error is a path. */
function formatOf(name: string): string {
  const setting = Object.values(SETTINGS).find(({ variable }) => variable === name);
  const [issue] = setting?.schema.safeParse("?\n").error?.issues ?? [];
  if (issue === undefined) return "a path";
  const [, example = issue.message] = /use(?: a form like|, for example,) (.+)$/.exec(issue.message) ?? [];
  return example.replace(/^must (be|have) /, "").replace(/: E[A-Z]+: .*$/s, "");
}
