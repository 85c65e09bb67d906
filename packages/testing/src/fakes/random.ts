import type { Random } from "@snap/engine/ports";
import { createHash } from "node:crypto";

/**
 * Reproducible bytes: the same seed gives the same sequence on every machine. For tests only; the
 * sequence can be predicted.
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
      for (let held = pool.length; held < size; held += 32) {
        chunks.push(createHash("sha256").update(`${seed}:${block}`).digest());
        block += 1;
      }
      const all = Buffer.concat(chunks);
      pool = all.subarray(size);
      return new Uint8Array(all.subarray(0, size));
    },
  };
}
