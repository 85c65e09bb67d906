/** The first bytes of each format, in Latin-1; a dot is any byte. PNG 5.2, JPEG B.1.1.3, RFC 9649 2.4, AVIF 1.1 6.2. */
const SIGNATURES = [/^\x89PNG\r\n/, /^\xFF\xD8\xFF/, /^RIFF[^]{4}WEBP/, /^[^]{4}ftypavif/];
const SIGNATURE_BYTES = 12;

/** Returns whether a file starts like a PNG, JPEG, WebP or AVIF image. */
export function hasImageSignature(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES)).toString("latin1");
  return SIGNATURES.some((signature) => signature.test(start));
}
