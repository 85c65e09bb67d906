import { sha256InSlices } from "../hash-in-slices.ts";

/** Returns the strong entity tag of a body (RFC 9110, 8.8.3): its quoted SHA-256. */
export async function entityTag(bytes: Uint8Array): Promise<string> {
  return `"${await sha256InSlices([bytes])}"`;
}
