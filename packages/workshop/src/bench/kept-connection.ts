import { connect, type Socket } from "node:net";
import type { Headers } from "./fetch-expecting.ts";

const HEAD_END = Buffer.from("\r\n\r\n");

/** Status line and header fields, as they came. */
export interface AnswerHead {
  readonly status: number;
  readonly text: string;
}

/**
 * One connection that is asked one thing after the other, with a reader that looks at the status and the
 * length only: what sends the requests must not take the processor from what answers them.
 */
export class KeptConnection {
  readonly #socket: Socket;
  #answer: PromiseWithResolvers<AnswerHead> | null = null;
  #head: Buffer = Buffer.alloc(0);
  #answered: AnswerHead | null = null;
  #bodyBytesLeft = 0;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (data: Buffer) => this.#take(data));
    this.#socket.on("error", (error) => this.#answer?.reject(error));
    this.#socket.on("close", () => this.#answer?.reject(new Error("the server has closed the connection")));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Resolves once the answer is read to its end. One at a time. */
  ask(request: Buffer): Promise<AnswerHead> {
    if (!this.isOpen) return Promise.reject(new Error("the server has closed the connection"));
    this.#answer = Promise.withResolvers();
    this.#socket.write(request);
    return this.#answer.promise;
  }

  close(): void {
    this.#answer = null;
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    if (this.#answered !== null) this.#bodyBytesLeft -= data.length;
    else {
      this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
      const end = this.#head.indexOf(HEAD_END);
      if (end === -1) return;
      const text = this.#head.toString("latin1", 0, end);
      const [, length = "0"] = /content-length: (\d+)/i.exec(text) ?? [];
      if (/transfer-encoding:/i.test(text)) this.#socket.destroy(new Error("an answer of unknown length"));
      this.#answered = { status: Number(text.slice(9, 12)), text };
      this.#bodyBytesLeft = Number(length) - (this.#head.length - end - HEAD_END.length);
      this.#head = Buffer.alloc(0);
    }
    if (this.#bodyBytesLeft > 0) return;
    const answered = this.#answered;
    this.#answered = null;
    this.#answer?.resolve(answered);
  }
}

/** The bytes of a GET. */
export function requestBytes(
  target: { readonly port: number; readonly path: string },
  headers: Headers,
): Buffer {
  const lines = Object.entries({ host: `127.0.0.1:${target.port}`, ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`GET ${target.path} HTTP/1.1\r\n${text}\r\n`, "latin1");
}
