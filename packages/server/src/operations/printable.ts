/** Control and format characters, including bidirectional controls, and line and paragraph separators. */
export const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Percent-encodes invisible characters in untrusted text: they could manipulate a terminal or split a log line. */
export function printable(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, encodeURIComponent);
}

/** Truncates text to `maxCharacters`, and marks the cut with an ellipsis. */
export function shorten(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}
