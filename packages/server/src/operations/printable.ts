/** Control and format characters, including bidirectional controls, and line separators. */
export const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes control and invisible characters in a caller's text: they could manipulate a terminal or split a log line. */
export function printable(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, encodeURIComponent);
}

/** Shortens a caller's text for the log. */
export function shorten(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}
