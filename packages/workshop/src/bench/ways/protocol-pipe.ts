import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";

type Message = {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: never;
  result?: never;
  error?: { message: string };
};
type Listener = (method: string, params: Readonly<Record<string, unknown>>) => void;

/** DevTools protocol over the browser's pipe: JSON texts, each ended by a zero byte. */
export class ProtocolPipe {
  readonly #browser: ChildProcess;
  readonly #input: Writable;
  readonly #waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  readonly #listeners = new Map<string, Listener>();
  #lastId = 0;
  #pieces: Buffer[] = [];

  constructor(executable: string, args: readonly string[]) {
    this.#browser = spawn(executable, ["--remote-debugging-pipe", ...args], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.#browser.once("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser has ended"));
    });
    this.#input = this.#browser.stdio[3] as Writable;
    (this.#browser.stdio[4] as Readable).on("data", (data: Buffer) => this.#take(data));
  }

  async send(method: string, params: object, sessionId?: string): Promise<Readonly<Record<string, unknown>>> {
    const id = (this.#lastId += 1);
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    this.#waiting.set(id, answer);
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answer.promise;
  }

  /** One listener for each session. */
  listen(sessionId: string, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  forget(sessionId: string): void {
    this.#listeners.delete(sessionId);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#browser.once("exit", resolve));
    await this.send("Browser.close", {});
    await ended;
  }

  #take(data: Buffer): void {
    let from = 0;
    for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0, from)) {
      this.#pieces.push(data.subarray(from, end));
      this.#handle(JSON.parse(Buffer.concat(this.#pieces).toString("utf8")) as Message);
      this.#pieces = [];
      from = end + 1;
    }
    if (from < data.length) this.#pieces.push(data.subarray(from));
  }

  #handle({ id, sessionId = "", method, params, result, error }: Message): void {
    if (id === undefined) {
      this.#listeners.get(sessionId)?.(method ?? "", params ?? {});
      return;
    }
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) answer?.resolve(result ?? {});
    else answer?.reject(new Error(error.message));
  }
}
