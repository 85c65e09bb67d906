/** Returns text that every database stores: well-formed, and without NUL, which PostgreSQL rejects. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
