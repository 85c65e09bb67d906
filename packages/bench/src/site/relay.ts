import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface RelayOptions {
  /** Loopback address to listen on. */
  readonly host: string;
  readonly targetPort: number;
  readonly roundTripMs: number;
}

/**
 * Forwards TCP connections with the latency of a distant host: half a round trip per chunk, and one for the
 * handshake. Needs neither root nor `tc`. Does not emulate bandwidth or slow start.
 *
 * @returns The port of the relay.
 */
export async function startRelay({ host, targetPort, roundTripMs }: RelayOptions): Promise<number> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const connectedAtMs = performance.now() + roundTripMs;
    forward(client, target, (nowMs) => Math.max(0, connectedAtMs - nowMs) + roundTripMs / 2);
    forward(target, client, () => roundTripMs / 2);
  });
  await once(server.listen(0, host), "listening");
  return (server.address() as AddressInfo).port;
}

/** Forwards chunks in order: each waits for its delay and for the chunks before it. */
function forward(from: Socket, to: Socket, delayMs: (nowMs: number) => number): void {
  let previous = Promise.resolve();
  const schedule = (deliver: () => void): void => {
    const due = sleep(delayMs(performance.now()));
    previous = Promise.all([previous, due]).then(deliver);
  };
  from.on("data", (chunk: Buffer) => schedule(() => to.write(chunk)));
  from.on("end", () => schedule(() => to.end()));
  // An aborted connection also aborts the other one; `close` follows.
  from.on("error", () => to.destroy());
  from.on("close", () => schedule(() => to.destroySoon()));
}
