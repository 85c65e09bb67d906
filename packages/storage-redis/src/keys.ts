import type { RenderingKey } from "@snap/engine/ports";
import { createHash } from "node:crypto";

/** Builds a key. The parts are JSON, so different parts never collide. */
export function keyOf(prefix: string, kind: string, ...parts: readonly string[]): string {
  return `${prefix}${kind}:${JSON.stringify(parts)}`;
}

export function renderingKey(prefix: string, { accountId, key }: RenderingKey): string {
  return keyOf(prefix, "rendering", accountId, key);
}

/** Names a rendering in the index: its key without the common prefix. */
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

/** Returns the digest that marks an account as being deleted, without storing its id. */
export function accountDigest(accountId: string): string {
  return createHash("sha256").update(accountId).digest("hex");
}

/**
 * How long Redis keeps a key after its value expires. The callers' clocks, which may differ, decide when it expires;
 * Redis's own expiry is only for cleanup.
 */
export const EXPIRY_GRACE_MS = 60_000;
