const LINE_CHARACTERS_MAX = 200;

/**
 * Returns the first line with text of a receiver's response, in at most 200 characters. Replaces control, invisible and
 * unassigned characters with spaces: they could manipulate a terminal or split a log line.
 */
export function responseLine(body: string): string {
  const lines = body.split(/[\n\r]+/).map((line) => line.replace(/[\p{C}\p{Z}]+/gu, " ").trim());
  const line = lines.find((text) => text !== "") ?? "";
  return line.length <= LINE_CHARACTERS_MAX
    ? line
    : `${line.slice(0, LINE_CHARACTERS_MAX - 1).toWellFormed()}…`;
}
