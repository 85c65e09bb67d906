import type { Random } from "@snap/engine/ports";
import { createHash } from "node:crypto";

/**
 * Creates reproducible random bytes: the same seed results in the same sequence on every machine. For tests only, because
 * the sequence is predictable.
 *
 * @example
 * const random = createFakeRandom(1);
 * random.bytes(16);
 */
export function createFakeRandom(seed: number): Random {
  let block = 0;
  let pool = Buffer.alloc(0);
  return {
    bytes(size) {
      const chunks = [pool];
      for (let available = pool.length; available < size; available += 32) {
        chunks.push(createHash("sha256").update(`${seed}:${block}`).digest());
        block += 1;
      }
      const all = Buffer.concat(chunks);
      pool = all.subarray(size);
      return new Uint8Array(all.subarray(0, size));
    },
  };
}
