import { once } from "node:events";
import { createConnection, isIP, type Socket } from "node:net";
import { connect as secure, type TLSSocket } from "node:tls";
import { messageOf } from "../errors.ts";
import { abortable, withTimeout } from "../timeouts.ts";

/** Time limit for connecting, across all addresses of a host. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Time before trying the host's next address. */
const ATTEMPT_TIMEOUT_MS = 2_500;

interface OpenSocketRequest {
  readonly hostname: string;
  readonly port: number;
  /** The host's addresses; only these are tried. */
  readonly addresses: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** 10,000 by default. */
  readonly connectTimeoutMs?: number | undefined;
  /** Called with the reason, for the log, if no address accepts a connection; not if `signal` aborts. */
  readonly onUnreachable?: ((detail: string) => void) | undefined;
}

/**
 * Opens a connection to the first address that accepts one; resolves to `null` if none does in
 * time, or `signal` aborts.
 */
export async function openSocket(request: OpenSocketRequest): Promise<Socket | null> {
  const { hostname, port, signal, connectTimeoutMs: durationMs = CONNECT_TIMEOUT_MS } = request;
  const { onUnreachable = () => {} } = request;
  if (signal?.aborted === true) return null;
  const checked = request.addresses.map((address) => ({ address, family: isIP(address) }));
  const socket = createConnection({
    host: hostname, // resolves to the checked addresses; a literal address needs no lookup
    lookup: (_hostname, _options, callback) => callback(null, checked),
    port,
    allowHalfOpen: true,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  });
  socket.on("error", () => {}); // `close` follows
  const reason = (): Error => new Error(`${hostname} did not accept a connection within ${durationMs} ms`);
  try {
    await withTimeout({ signal, durationMs, reason }, (stepSignal) =>
      abortable(stepSignal, once(socket, "connect")),
    );
    return socket;
  } catch (error) {
    socket.destroy();
    const isAbandoned = error === signal?.reason;
    if (!isAbandoned) onUnreachable(messageOf(error));
    return null;
  }
}

/**
 * Starts TLS on a connected socket. Resolves when the certificate is verified for `hostname` (RFC 9110, 4.3.4), before
 * any data is sent; resolves to `null`, with the socket destroyed, if the handshake or the verification fails. There is
 * no time limit: destroy `socket` to abandon the handshake.
 *
 * @example
 * const secured = await startTls(socket, "example.com");
 * if (secured === null) console.error("unreachable");
 */
export function startTls(socket: Socket, hostname: string): Promise<TLSSocket | null> {
  const secured = secure({
    socket,
    host: hostname, // the certificate must match it
    servername: isIP(hostname) === 0 ? hostname : "", // RFC 6066, 3: never a literal address
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true, // explicit, so NODE_TLS_REJECT_UNAUTHORIZED cannot disable it
  });
  return new Promise((resolve) => {
    secured.on("error", () => {}); // `close` follows
    secured.once("secureConnect", () => resolve(secured));
    secured.once("close", () => resolve(null));
  });
}
