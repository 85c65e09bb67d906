import { RESP_TYPES } from "@redis/client";
import type { StoredRendering } from "@snap/engine/ports";
import type { TransferConnection } from "../connection/connect.ts";
import { bytesOffset, packMetadata, unpackMetadata } from "./packed.ts";

/**
 * Small enough that a large value barely delays other commands, in this process and in Redis. Not smaller, because each
 * `APPEND` may allocate a mebibyte more than it needs.
 */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Redis deletes an incomplete value after this time. */
const STAGED_TTL_MS = 300_000;
/** For a value that is replaced while it is being read. */
const READ_ATTEMPTS = 3;

/** Reads and writes values in chunks. */
export interface Transfer {
  /**
   * Returns `null` if the value is missing, has an unknown layout, or is replaced during every attempt to
   * read it. Does not verify the bytes; the caller checks them against the entity tag.
   */
  read(key: string): Promise<StoredRendering | null>;
  /**
   * Writes the rendering to `stagedKey`, which expires after five minutes, then calls `commit` to move it to its final
   * key. Pipelines the two if the value fits in one chunk. Returns `null` if the staged value was lost before `commit`.
   */
  write<T>(stagedKey: string, rendering: StoredRendering, commit: () => Promise<T>): Promise<T | null>;
}

export function createTransfer({ client, withTimeout }: TransferConnection): Transfer {
  const byteClient = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  const readRange = async (key: string, start: number, size: number): Promise<Buffer> =>
    withTimeout(
      { bytes: size },
      async () => (await byteClient.getRange(key, start, start + size - 1)) ?? Buffer.alloc(0),
    );

  /** Returns `changed` if the value was replaced in the meantime. */
  const readOnce = async (key: string): Promise<StoredRendering | null | "changed"> => {
    const first = await readRange(key, 0, CHUNK_BYTES);
    const [metadata, offset] = [unpackMetadata(first), bytesOffset(first)];
    if (metadata === null || offset === null) return null;
    // copied, because it is a view of a larger response
    if (first.byteLength < CHUNK_BYTES) return { ...metadata, bytes: new Uint8Array(first.subarray(offset)) };
    const size = await withTimeout({ bytes: 0 }, () => client.strLen(key));
    const bytes = new Uint8Array(Math.max(0, size - offset));
    bytes.set(first.subarray(offset, size));
    for (let start = CHUNK_BYTES; start < size; start += CHUNK_BYTES) {
      const chunk = await readRange(key, start, Math.min(CHUNK_BYTES, size - start));
      if (chunk.byteLength !== Math.min(CHUNK_BYTES, size - start)) return "changed";
      bytes.set(chunk, start - offset);
    }
    const start = await readRange(key, 0, offset);
    return start.equals(first.subarray(0, offset)) ? { ...metadata, bytes } : "changed";
  };

  return {
    async read(key) {
      for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt += 1) {
        const result = await readOnce(key);
        if (result !== "changed") return result;
      }
      return null;
    },
    async write(stagedKey, { bytes, ...metadata }, commit) {
      const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const head = packMetadata(metadata);
      const firstBytes = Math.max(0, CHUNK_BYTES - head.byteLength);
      const first = Buffer.concat([head, body.subarray(0, firstBytes)]);
      const expiration = { type: "PX", value: STAGED_TTL_MS } as const;
      const firstWrite = withTimeout({ bytes: first.byteLength }, () =>
        client.set(stagedKey, first, { expiration }),
      );
      if (body.byteLength <= firstBytes) {
        const [committed] = await Promise.all([withTimeout({ bytes: 0 }, commit), firstWrite]);
        return committed;
      }
      await firstWrite;
      for (let start = firstBytes; start < body.byteLength; start += CHUNK_BYTES) {
        const chunk = body.subarray(start, start + CHUNK_BYTES);
        const size = await withTimeout({ bytes: chunk.byteLength }, () => client.append(stagedKey, chunk));
        if (size === head.byteLength + start + chunk.byteLength) continue;
        // Redis has evicted the earlier chunks; a value that `APPEND` creates never expires
        await withTimeout({ bytes: 0 }, () => client.unlink(stagedKey));
        return null;
      }
      return withTimeout({ bytes: 0 }, commit);
    },
  };
}
