import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface RelayOptions {
  /** Loopback address to listen on. */
  readonly host: string;
  readonly targetPort: number;
  readonly roundTripMs: number;
}

export interface Relay {
  readonly port: number;
  readonly close: () => void;
}

/**
 * Forwards TCP connections with the latency of a distant host, which needs neither root nor `tc`: half a round
 * trip for each chunk, and one round trip for the handshake. Bandwidth and slow start are not emulated.
 */
export async function startRelay({ host, targetPort, roundTripMs }: RelayOptions): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const connectedAtMs = performance.now() + roundTripMs;
    forward(client, target, (nowMs) => Math.max(nowMs, connectedAtMs) + roundTripMs / 2);
    forward(target, client, (nowMs) => nowMs + roundTripMs / 2);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    }
  });
  await once(server.listen(0, host), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function forward(from: Socket, to: Socket, dueMs: (nowMs: number) => number): void {
  const line = new DelayLine();
  const later = (deliver: () => void): void => line.push(deliver, dueMs(performance.now()));
  from.on("data", (chunk: Buffer) => later(() => to.write(chunk)));
  from.on("end", () => later(() => to.end()));
  // An aborted connection takes its other half along; `close` follows.
  from.on("error", () => to.destroy());
  from.on("close", () => later(() => to.destroySoon()));
}

/** Delivers in the order of arrival; timers of different lengths alone would not. */
class DelayLine {
  readonly #waiting: { readonly deliver: () => void; readonly dueMs: number }[] = [];
  #timer: NodeJS.Timeout | null = null;

  push(deliver: () => void, dueMs: number): void {
    this.#waiting.push({ deliver, dueMs });
    if (this.#timer === null) this.#deliverDue();
  }

  #deliverDue(): void {
    this.#timer = null;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const leftMs = first.dueMs - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.#deliverDue(), leftMs);
        return;
      }
      this.#waiting.shift();
      first.deliver();
    }
  }
}
