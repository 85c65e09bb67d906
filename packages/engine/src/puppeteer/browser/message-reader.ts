/**
 * Longer messages without a sink are discarded as they arrive. Only hostile pages and inlined
 * images cause them.
 */
export const MESSAGE_MAX_BYTES = 4 * 1024 * 1024;

/** Covers the fields before a file's data, and the session id at the end of a message. */
export const EDGE_BYTES = 128;

const NUL = 0;

/** Takes the parts of one message as they arrive. */
export interface MessageSink {
  write(part: Buffer): void;
  end(): void;
}

/** A message that was discarded, except for its edges. */
export interface DiscardedMessage {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly bytes: number;
}

export interface MessageHandler {
  /** Returns a sink for a message that starts with this or equals it; `null` collects the message. */
  sinkFor(start: Buffer): MessageSink | null;
  /** Called with a collected message. */
  onMessage(message: Buffer): void;
  /** Called at the end of a message that was too long to collect. */
  onDiscarded(message: DiscardedMessage): void;
}

/**
 * Splits a stream into messages, each terminated by a NUL byte. Processing a chunk takes time linear in its length, and
 * at most `MESSAGE_MAX_BYTES` are buffered.
 */
export class MessageReader {
  readonly #handler: MessageHandler;
  #parts: Buffer[] = [];
  #bytes = 0;
  #hasStarted = false;
  #sink: MessageSink | null = null;
  #discarded: { readonly start: Buffer; end: Buffer } | null = null;

  constructor(handler: MessageHandler) {
    this.#handler = handler;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NUL); end !== -1; end = chunk.indexOf(NUL, start)) {
      this.#append(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  #append(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#sink) return this.#sink.write(part);
    if (this.#discarded) {
      this.#discarded.end = lastBytes([this.#discarded.end, part]);
      return;
    }
    this.#parts.push(part);
    if (!this.#hasStarted && this.#bytes >= EDGE_BYTES) this.#start();
    if (this.#sink === null && this.#bytes > MESSAGE_MAX_BYTES) this.#discard();
  }

  #start(): void {
    this.#hasStarted = true;
    const start = this.#joinParts();
    this.#sink = this.#handler.sinkFor(start);
    this.#parts = this.#sink ? [] : [start];
    this.#sink?.write(start);
  }

  #discard(): void {
    const [first = Buffer.alloc(0)] = this.#parts;
    // copied, so the chunks can be freed
    const start = Buffer.from(first.subarray(0, EDGE_BYTES));
    this.#discarded = { start, end: lastBytes(this.#parts) };
    this.#parts = [];
  }

  #finish(): void {
    const bytes = this.#bytes;
    if (!this.#hasStarted) this.#start();
    const sink = this.#sink;
    const discarded = this.#discarded;
    const message = this.#joinParts();
    this.#parts = [];
    this.#bytes = 0;
    this.#hasStarted = false;
    this.#sink = null;
    this.#discarded = null;
    if (sink) sink.end();
    else if (discarded) this.#handler.onDiscarded({ ...discarded, bytes });
    else this.#handler.onMessage(message);
  }

  #joinParts(): Buffer {
    const [first, ...others] = this.#parts;
    return first && others.length === 0 ? first : Buffer.concat(this.#parts);
  }
}

function lastBytes(parts: readonly Buffer[]): Buffer {
  const ends = parts.slice(-EDGE_BYTES).map((part) => part.subarray(-EDGE_BYTES));
  return Buffer.concat(ends).subarray(-EDGE_BYTES);
}
