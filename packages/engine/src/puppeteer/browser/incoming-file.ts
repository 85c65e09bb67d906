import { renderingTooLarge } from "../../rendering-limit.ts";
import { ByteCollector } from "./byte-collector.ts";
import type { MessageSink } from "./message-reader.ts";

const QUOTE = '"'.charCodeAt(0);
const SESSION_ID = String.raw`"sessionId"\s*:\s*"[^"]*"\s*,\s*`;
/**
 * Chromium writes `{"id":7,"result":{"data":"…"},"sessionId":"…"}`; a proxy in between might write the session first.
 */
const START = new RegExp(
  String.raw`^\{\s*(?:${SESSION_ID})?"id"\s*:\s*(\d+)\s*,\s*(?:${SESSION_ID})?"result"\s*:\s*\{\s*"data"\s*:\s*"`,
);

/** The start of a response with a file. */
export interface FileStart {
  /** Id of the command. */
  readonly id: number;
  /** Offset of the base64 text. */
  readonly prefixBytes: number;
}

/** Returns `null` if this cannot be the start of a response with a file. */
export function readFileStart(start: string): FileStart | null {
  const [prefix, id] = START.exec(start) ?? [];
  return prefix === undefined ? null : { id: Number(id), prefixBytes: prefix.length };
}

/** A file in a response, decoded as it arrives. Bytes past the limit are discarded. */
export class IncomingFile {
  readonly #received = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.received.catch(() => {}); // the render may no longer be waiting for it
  }

  /** Rejects with `render_failed` if the file exceeds its limit. */
  get received(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#received.promise;
  }

  fail(error: Error): void {
    this.#received.reject(error);
  }

  /** Returns a sink for the whole message. */
  open({ prefixBytes }: FileStart): MessageSink {
    let collector: ByteCollector | null = new ByteCollector(this.#maxBytes);
    let skip = prefixBytes;
    let rest = "";
    return {
      write: (part) => {
        if (collector === null) return;
        const from = Math.min(skip, part.length);
        skip -= from;
        const quote = part.indexOf(QUOTE, from);
        const isLast = quote !== -1;
        const text = rest + part.toString("latin1", from, isLast ? quote : part.length);
        const usable = isLast ? text.length : text.length - (text.length % 4);
        rest = text.slice(usable);
        if (!collector.append(text.slice(0, usable))) this.fail(renderingTooLarge(this.#maxBytes));
        else if (isLast) this.#received.resolve(collector.finish());
        else return;
        collector = null;
      },
      end: () => {
        if (collector !== null) this.fail(new Error("the browser's response is incomplete"));
      },
    };
  }
}
