import type { StoredRendering } from "@snap/engine/ports";

/** A rendering without its bytes. */
export type Description = Omit<StoredRendering, "bytes">;

/*
 * A rendering is one value: the version of the layout (1 byte), the length of the description (4 bytes, big-endian), the
 * description as JSON, and the bytes.
 */
const LAYOUT = 1;
const PREAMBLE_BYTES = 5;
/** Longer than nearly every description. */
export const DESCRIPTION_BYTES = 1024;

export function pack({ bytes, ...description }: StoredRendering): Buffer {
  return Buffer.concat([packDescription(description), bytes]);
}

/** Returns all that precedes the bytes. */
export function packDescription(description: Description): Buffer {
  const json = Buffer.from(JSON.stringify(description));
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  preamble.writeUInt8(LAYOUT, 0);
  preamble.writeUInt32BE(json.byteLength, 1);
  return Buffer.concat([preamble, json]);
}

/**
 * Returns the offset of the bytes, which is the end of the description; `null` if the value is corrupt or has an unknown
 * layout.
 */
export function bytesOffset(start: Uint8Array): number | null {
  const view = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  if (view.byteLength < PREAMBLE_BYTES || view.readUInt8(0) !== LAYOUT) return null;
  return PREAMBLE_BYTES + view.readUInt32BE(1);
}

/** Reads the description from a value or from its start; returns `null` like `bytesOffset`. */
export function unpackDescription(start: Uint8Array): Description | null {
  const end = bytesOffset(start);
  if (end === null || end > start.byteLength) return null;
  try {
    return JSON.parse(new TextDecoder().decode(start.subarray(PREAMBLE_BYTES, end))) as Description;
  } catch {
    return null;
  }
}

/** Returns `null` like `bytesOffset`. Does not verify the bytes; the entity tag does. */
export function unpack(packed: Uint8Array): StoredRendering | null {
  const description = unpackDescription(packed);
  const offset = bytesOffset(packed);
  if (description === null || offset === null) return null;
  // copied, because the value may belong to the store, or be a view of a much larger reply
  return { ...description, bytes: new Uint8Array(packed.subarray(offset)) };
}
