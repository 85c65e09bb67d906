import type { StoredRendering } from "@snap/engine/ports";

/** A rendering without its bytes. */
export type Metadata = Omit<StoredRendering, "bytes">;

/*
 * A rendering is one value: the version of the layout (1 byte), the length of the metadata (4 bytes, big-endian), the
 * metadata as JSON, and the bytes.
 */
const LAYOUT = 1;
const PREAMBLE_BYTES = 5;
/** Read first; longer metadata, which is rare, takes a second read. */
export const METADATA_BYTES = 1024;

export function pack({ bytes, ...metadata }: StoredRendering): Buffer {
  return Buffer.concat([packMetadata(metadata), bytes]);
}

/** Returns everything that precedes the bytes. */
export function packMetadata(metadata: Metadata): Buffer {
  const json = Buffer.from(JSON.stringify(metadata));
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  preamble.writeUInt8(LAYOUT, 0);
  preamble.writeUInt32BE(json.byteLength, 1);
  return Buffer.concat([preamble, json]);
}

/**
 * Returns the offset of the bytes, which is the end of the metadata; `null` if the value is corrupt or has an unknown
 * layout.
 */
export function bytesOffset(start: Uint8Array): number | null {
  const view = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  if (view.byteLength < PREAMBLE_BYTES || view.readUInt8(0) !== LAYOUT) return null;
  return PREAMBLE_BYTES + view.readUInt32BE(1);
}

/** Reads the metadata from a value or from its start; returns `null` like `bytesOffset`. */
export function unpackMetadata(start: Uint8Array): Metadata | null {
  const end = bytesOffset(start);
  if (end === null || end > start.byteLength) return null;
  try {
    return JSON.parse(new TextDecoder().decode(start.subarray(PREAMBLE_BYTES, end))) as Metadata;
  } catch {
    return null;
  }
}

/** Returns `null` like `bytesOffset`. Does not verify the bytes. */
export function unpack(packed: Uint8Array): StoredRendering | null {
  const metadata = unpackMetadata(packed);
  const offset = bytesOffset(packed);
  if (metadata === null || offset === null) return null;
  // copied, because the value may belong to the store, or be a view of a much larger response
  return { ...metadata, bytes: new Uint8Array(packed.subarray(offset)) };
}
