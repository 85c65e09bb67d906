const INITIAL_CAPACITY_BYTES = 64 * 1024;
const GROWTH_FACTOR = 4;
/** Copying this much takes about ten milliseconds. */
const COPIED_MAX_BYTES = 16 * 1024 * 1024;
/** Padding makes the decoded file seem longer than it is. */
const PADDING_MAX_BYTES = 2;

/**
 * Decodes a base64 file as its parts arrive. With the default limit of 64 MiB, no step copies more
 * than 16 MiB.
 */
export class ByteCollector {
  readonly #maxBytes: number;
  #bytes = Buffer.allocUnsafeSlow(INITIAL_CAPACITY_BYTES);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Appends base64 text, whose length must be a multiple of four except at the end of the file. Returns `false`
   * if the file exceeds its limit.
   */
  append(base64: string): boolean {
    const end = this.#length + Math.ceil(base64.length / 4) * 3;
    if (end > this.#maxBytes + PADDING_MAX_BYTES) return false;
    this.#reserve(end);
    this.#length += this.#bytes.write(base64, this.#length, "base64");
    return this.#length <= this.#maxBytes;
  }

  /** Returns a view of the appended bytes, valid until the next `append`. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /**
   * Returns the file in a buffer of exactly its size or, if it is too large to copy, in a larger buffer with
   * unused space at the end.
   */
  finish(): Uint8Array<ArrayBuffer> {
    const file = this.view();
    return this.#length <= COPIED_MAX_BYTES ? resize(file, this.#length) : file;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const capacity = Math.max(bytes, this.#bytes.length * GROWTH_FACTOR);
    const limit = this.#maxBytes + PADDING_MAX_BYTES;
    this.#bytes = resize(this.#bytes.subarray(0, this.#length), Math.min(capacity, limit));
  }
}

/**
 * Unused capacity costs little, because the operating system allocates a large buffer's pages when they are first
 * written.
 */
function resize(bytes: Uint8Array, capacity: number): Buffer<ArrayBuffer> {
  const resized = Buffer.allocUnsafeSlow(capacity);
  resized.set(bytes);
  return resized;
}
