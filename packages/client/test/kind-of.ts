/** Returns the media type of a file according to its first bytes. */
export function kindOf(bytes: Uint8Array): string {
  // decoded as windows-1252, where 0x89 is the per mille sign
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 12));
  if (start.startsWith("\u2030PNG\r\n\x1a\n")) return "image/png";
  if (/^RIFF[^]{4}WEBP/.test(start)) return "image/webp";
  return start.startsWith("%PDF-") ? "application/pdf" : "unknown";
}
