const ANY = "…";

/**
 * Compares a command's output with the output on a page. `…` matches any text within a line, and a
 * line with only `…` matches any number of lines. White space at the ends of lines, and empty lines
 * at the start and the end, are ignored.
 *
 * @example
 * matchesOutput("token  2|…\n…", "token  2|s3cret\nexpires  never\n"); // true
 */
export function matchesOutput(expected: string, printed: string): boolean {
  return toPattern(expected).test(`${trimLines(printed)}\n`);
}

function toPattern(expected: string): RegExp {
  const lines = trimLines(expected).split("\n");
  const parts = lines.map((line) =>
    line.trim() === ANY
      ? String.raw`(?:[^\n]*\n)*?`
      : `${line
          .split(ANY)
          .map(escape)
          .join(String.raw`[^\n]*`)}\n`,
  );
  return new RegExp(`^${parts.join("")}$`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function trimLines(text: string): string {
  return text.replaceAll(/[ \t\r]+$/gm, "").replaceAll(/^\n+|\n+$/g, "");
}
