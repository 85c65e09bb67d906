/** Quotes text for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes text for a POSIX shell, if it needs quotes. */
export function quoteIfNeeded(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : quoted(text);
}
