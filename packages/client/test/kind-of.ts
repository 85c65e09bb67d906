/** What a file is by its first bytes, whatever it was said to be. */
export function kindOf(bytes: Uint8Array): string {
  // As windows-1252, in which 0x89 is a per mille sign.
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 12));
  if (start.startsWith("\u2030PNG\r\n\x1a\n")) return "image/png";
  if (/^RIFF[^]{4}WEBP/.test(start)) return "image/webp";
  return start.startsWith("%PDF-") ? "application/pdf" : "unknown";
}
