import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createConnection, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import {
  openProxiedEgress,
  type ProxiedEgress,
  type EgressProxyOptions,
} from "../../src/puppeteer/proxy/proxy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

/** Opens an egress proxy that allows `entries`, by default 127.0.0.1; closes it after the test. */
export async function openProxy(
  options: Partial<EgressProxyOptions> & { readonly entries?: string } = {},
): Promise<ProxiedEgress> {
  const { entries = "127.0.0.1", ...rest } = options;
  const proxy = await openProxiedEgress({
    resolver: { resolve: () => Promise.resolve(["127.0.0.1"]) },
    policy: { allow: parseTargetList(entries), ownHostnames: [] },
    ...rest,
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Starts a web server on the loopback interface; returns its port. */
export function serveHttp(listener: RequestListener, host?: string): Promise<number> {
  return listen(createHttpServer(listener), host);
}

/** Starts a TCP server on the loopback interface that allows half-open connections; returns its port. */
export function serveTcp(serve: (socket: Socket) => void): Promise<number> {
  return listen(createServer({ allowHalfOpen: true }, serve));
}

/** A raw connection to an egress proxy. */
export class Client {
  readonly socket: Socket;
  #received = "";
  #changed = Promise.withResolvers<void>();

  constructor(proxy: ProxiedEgress, options: { readonly allowHalfOpen?: boolean } = {}) {
    this.socket = createConnection({ port: proxy.port, host: "127.0.0.1", ...options });
    this.socket.setEncoding("latin1");
    this.socket.on("data", (text: string) => (this.#received += text));
    this.socket.on("error", () => {});
    for (const event of ["data", "end", "close"]) this.socket.on(event, () => this.#notifyChange());
    onTestFinished(() => void this.socket.destroy());
  }

  /** Everything received so far. */
  get received(): string {
    return this.#received;
  }

  send(text: string): this {
    this.socket.write(text, "latin1");
    return this;
  }

  /** Resolves when `text` has been received `times` times; rejects if the connection closes first. */
  async waitForText(text: string, times = 1): Promise<string> {
    while (this.#received.split(text).length <= times) {
      if (this.socket.closed) throw new Error(`closed after ${JSON.stringify(this.#received)}`);
      await this.#changed.promise;
    }
    return this.#received;
  }

  /** Resolves when the other side has closed its half of the connection. */
  async waitForEnd(): Promise<void> {
    while (!this.socket.readableEnded && !this.socket.closed) await this.#changed.promise;
  }

  /** Resolves with everything received, once the connection is closed. */
  async waitForClose(): Promise<string> {
    while (!this.socket.closed) await this.#changed.promise;
    return this.#received;
  }

  #notifyChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
