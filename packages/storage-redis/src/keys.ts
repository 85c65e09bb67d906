import type { RenderingKey } from "@snap/engine/ports";
import { createHash } from "node:crypto";

/** Builds a key. The parts are encoded as JSON, so that different parts never result in the same key. */
export function keyOf(prefix: string, kind: string, ...parts: readonly string[]): string {
  return `${prefix}${kind}:${JSON.stringify(parts)}`;
}

export function renderingKey(prefix: string, { accountId, key }: RenderingKey): string {
  return keyOf(prefix, "rendering", accountId, key);
}

/** Returns a rendering's name in the index: its key without the prefix and `rendering:`. */
export function renderingName(request: RenderingKey): string {
  return renderingKey("", request).slice("rendering:".length);
}

/** Returns whether a key belongs to a rendering of the account, or of any account if `accountId` is `null`. */
export function isRenderingOf(
  key: string,
  { keyPrefix, accountId }: { readonly keyPrefix: string; readonly accountId: string | null },
): boolean {
  const start = `${keyPrefix}rendering:`;
  return accountId === null
    ? key.startsWith(start)
    : key.startsWith(`${start}${JSON.stringify([accountId]).slice(0, -1)},`);
}

/** Returns the digest of an account's id, by which its deletion is remembered without storing the id. */
export function accountDigest(accountId: string): string {
  return createHash("sha256").update(accountId).digest("hex");
}

/**
 * How long an entry stays in the store after it expires. The processes' clocks, which may differ, decide whether it
 * has expired; the store's own expiry only frees memory.
 */
export const EXPIRY_GRACE_MS = 60_000;
