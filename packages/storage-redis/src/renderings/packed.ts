import type { StoredRendering } from "@snap/engine/ports";

/** All of a rendering but its bytes. */
export type Description = Omit<StoredRendering, "bytes">;

/*
 * One value holds a rendering: the layout's number (1 byte), the length of the description (4 bytes, most
 * significant first), the description as JSON, the bytes as they are.
 */
const LAYOUT = 1;
const PREAMBLE_BYTES = 5;
/** More than nearly every description takes. */
export const DESCRIPTION_BYTES = 1024;

export function pack({ bytes, ...description }: StoredRendering): Buffer {
  const json = Buffer.from(JSON.stringify(description));
  const packed = Buffer.allocUnsafe(PREAMBLE_BYTES + json.byteLength + bytes.byteLength);
  packed.writeUInt8(LAYOUT, 0);
  packed.writeUInt32BE(json.byteLength, 1);
  packed.set(json, PREAMBLE_BYTES);
  packed.set(bytes, PREAMBLE_BYTES + json.byteLength);
  return packed;
}

/**
 * Where the bytes begin, which is how much of the value tells the description; `null` when it is damaged,
 * or of a layout that this release doesn't know.
 */
export function whereBytesBegin(start: Uint8Array): number | null {
  const view = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  if (view.byteLength < PREAMBLE_BYTES || view.readUInt8(0) !== LAYOUT) return null;
  return PREAMBLE_BYTES + view.readUInt32BE(1);
}

/** Of a value, or of as much of its start as holds it; `null` as above. */
export function unpackDescription(start: Uint8Array): Description | null {
  const end = whereBytesBegin(start);
  if (end === null || end > start.byteLength) return null;
  try {
    return JSON.parse(new TextDecoder().decode(start.subarray(PREAMBLE_BYTES, end))) as Description;
  } catch {
    return null;
  }
}

/** `null` as above. Whether the bytes are whole is told by the entity tag. */
export function unpack(packed: Uint8Array): StoredRendering | null {
  const description = unpackDescription(packed);
  const begin = whereBytesBegin(packed);
  if (description === null || begin === null) return null;
  // A copy: the store's own, or a view of a far larger reply, which it would keep in memory.
  return { ...description, bytes: new Uint8Array(packed.subarray(begin)) };
}
