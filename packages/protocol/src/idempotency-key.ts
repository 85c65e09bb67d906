import { BATCH_LIMITS } from "./limits.ts";

/** Returns what an `Idempotency-Key` must be; `null` for a valid one. */
export function checkIdempotencyKey(key: string): string | null {
  const { idempotencyKeyCharacters: longest } = BATCH_LIMITS;
  return key.length <= longest && /^[ -~]+$/.test(key)
    ? null
    : `must be 1 to ${longest} printable ASCII characters`;
}
