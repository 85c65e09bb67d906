import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

type Params = Readonly<Record<string, unknown>>;
interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

/** The DevTools protocol over the browser's pipe, as JSON messages that end in a zero byte. */
export class ProtocolPipe {
  /** By session id. */
  readonly listeners = new Map<string, (method: string, params: Params) => void>();
  readonly #browser: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<Params>>();
  #lastId = 0;
  #chunks: Buffer[] = [];

  constructor(executable: string, args: readonly string[]) {
    this.#browser = spawn(executable, ["--remote-debugging-pipe", ...args], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.#browser.once("exit", () => {
      for (const { reject } of this.#pending.values()) reject(new Error("the browser exited"));
    });
    (this.#browser.stdio[4] as Readable).on("data", (data: Buffer) => this.#read(data));
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Params> {
    const id = (this.#lastId += 1);
    const pending = Promise.withResolvers<Params>();
    this.#pending.set(id, pending);
    (this.#browser.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return pending.promise;
  }

  async close(): Promise<void> {
    const ended = once(this.#browser, "exit");
    await this.send("Browser.close");
    await ended;
  }

  #read(data: Buffer): void {
    let from = 0;
    for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0, from)) {
      this.#chunks.push(data.subarray(from, end));
      this.#handle(JSON.parse(Buffer.concat(this.#chunks).toString("utf8")) as Message);
      this.#chunks = [];
      from = end + 1;
    }
    if (from < data.length) this.#chunks.push(data.subarray(from));
  }

  #handle({ id, sessionId = "", method = "", params = {}, result = {}, error }: Message): void {
    if (id === undefined) return this.listeners.get(sessionId)?.(method, params);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error.message));
  }
}
