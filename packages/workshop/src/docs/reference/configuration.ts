import { documentVariables } from "../../../../server/src/config.ts";
import { SETTINGS } from "../../../../server/src/config/settings.ts";
import { code, sentence, table, type ReferencePage } from "./page.ts";

export const configurationPage: ReferencePage = {
  file: "configuration.md",
  title: "Configuration",
  summary: "Every variable of the environment that sets the service up.",
  parts: () => [
    "They are read once, at the start; an empty one counts as unset. Any value that would not do ends the start with exit code 2 and a message that names every variable at fault; a name that looks like ours and isn't is warned of.",
    table(
      ["variable", "meaning", "unset", "format"],
      documentVariables().map(({ name, meaning, unset }) => [
        code(name),
        sentence(meaning),
        unset,
        formatOf(name),
      ]),
    ),
    "A duration is a whole number with `ms`, `s`, `m`, `h` or `d`: `90s`, `7d`.",
  ],
};

/** What the refusal of a value that is none says would do; a variable that refuses nothing is a path. */
function formatOf(name: string): string {
  const setting = Object.values(SETTINGS).find(({ variable }) => variable === name);
  const [issue] = setting?.schema.safeParse("?").error?.issues ?? [];
  if (issue === undefined) return "a path";
  const [, example = issue.message] = /use a form like (.+)$/.exec(issue.message) ?? [];
  return example.replace(/^must be /, "").replace(/: E[A-Z]+: .*$/, "");
}
