import type { Readable, Writable } from "node:stream";
import type { ConnectionTransport } from "puppeteer";

/** A screenshot of 100 million pixels in base64 is smaller; V8 strings cannot be much longer. */
export const MESSAGE_MAX_BYTES = 384 * 1024 * 1024;

const NUL = 0;

/** The two ends of `--remote-debugging-pipe`: the browser reads one and writes the other. */
export interface DebuggingPipe {
  readonly toBrowser: Writable;
  readonly fromBrowser: Readable;
}

/**
 * The DevTools protocol over a pipe: JSON messages, each terminated by a NUL byte. The parts of a long message are
 * buffered and concatenated once.
 */
export function openPipeTransport({ toBrowser, fromBrowser }: DebuggingPipe): ConnectionTransport {
  let parts: Buffer[] = [];
  let partsBytes = 0;
  let open = true;

  const close = (): void => {
    if (!open) return;
    open = false;
    parts = [];
    toBrowser.destroy();
    fromBrowser.destroy();
    transport.onclose?.();
  };

  const append = (part: Buffer): void => {
    if (part.length === 0) return;
    parts.push(part);
    partsBytes += part.length;
    if (partsBytes > MESSAGE_MAX_BYTES) close();
  };

  const deliver = (): void => {
    const [first] = parts;
    const message = parts.length === 1 && first ? first : Buffer.concat(parts, partsBytes);
    parts = [];
    partsBytes = 0;
    transport.onmessage?.(message.toString("utf8"));
  };

  const receive = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NUL); end !== -1 && open; end = chunk.indexOf(NUL, start)) {
      append(chunk.subarray(start, end));
      deliver();
      start = end + 1;
    }
    if (open) append(chunk.subarray(start));
  };

  const transport: ConnectionTransport = {
    send(message) {
      if (!open) return;
      toBrowser.write(`${message}\0`);
    },
    close,
  };

  fromBrowser.on("data", receive);
  for (const end of [fromBrowser, toBrowser]) end.on("close", close).on("error", close);
  return transport;
}
