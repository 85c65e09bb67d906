/** Names what is kept. As JSON, so that no two lists of texts run together, whatever is in them. */
export function keyOf(prefix: string, kind: string, ...parts: readonly string[]): string {
  return `${prefix}${kind}:${JSON.stringify(parts)}`;
}
