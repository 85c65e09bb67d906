import { once } from "node:events";
import { createConnection, isIP, type Socket } from "node:net";
import { connect as secure, type TLSSocket } from "node:tls";
import { withTimeout } from "../timeouts.ts";
import { resolveHost, type ResolveHostRequest } from "./resolve.ts";

/** Bound of connecting, over all addresses of a host (egress.md, the proxy). */
const CONNECT_TIMEOUT_MS = 10_000;

/** After this long without an answer the next address of the host is tried. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** `blocked`: not a public target; `unresolved`: no address; `unreachable`: no address answered in time. */
export type ConnectRefusal = "blocked" | "unresolved" | "unreachable";

interface ConnectRequest extends ResolveHostRequest {
  /** `CONNECT_TIMEOUT_MS` unless given. */
  readonly connectTimeoutMs?: number;
}

/**
 * Connects to a host that may be connected to: resolves it once, requires each of its addresses to be
 * allowed, and tries those addresses, and no others, in turn, so that a name that resolves to something
 * else a moment later gains nothing. It is the one way out, for pages and for webhooks.
 *
 * The socket stays half-open when the peer ends (end it yourself) and never throws an unheard `error`;
 * `close` tells the end. An aborted `signal` answers a refusal and leaves no socket behind.
 *
 * @example
 * const outcome = await connect({ hostname: "example.com", port: 443, policy, resolver });
 * if (typeof outcome === "string") console.error(outcome);
 * else await startTls(outcome, "example.com");
 */
export async function connect(request: ConnectRequest): Promise<Socket | ConnectRefusal> {
  const addresses = await resolveHost(request);
  if (typeof addresses === "string") return addresses;
  return (await reach(request, addresses)) ?? "unreachable";
}

async function reach(request: ConnectRequest, addresses: readonly string[]): Promise<Socket | null> {
  const { hostname, port, signal, connectTimeoutMs: durationMs = CONNECT_TIMEOUT_MS } = request;
  if (signal?.aborted === true) return null;
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  const socket = createConnection({
    host: hostname, // its look-up is answered with what was checked; a literal address has none
    lookup: (_hostname, _options, answer) => answer(null, checked),
    port,
    allowHalfOpen: true,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  });
  socket.on("error", () => {}); // `close` follows
  const reason = (): Error => new Error(`${hostname} did not accept a connection within ${durationMs} ms`);
  try {
    await withTimeout({ signal, durationMs, reason }, (limited) =>
      once(socket, "connect", { signal: limited }),
    );
    return socket;
  } catch {
    socket.destroy();
    return null;
  }
}

/**
 * Speaks TLS over a connected socket. Resolves once the certificate has proved to be that of `hostname`
 * (RFC 9110, 4.3.4), with nothing sent before; `null`, with the socket destroyed, when it doesn't.
 *
 * @example
 * const secured = await startTls(socket, "example.com");
 * if (secured === null) console.error("unreachable");
 */
export function startTls(socket: Socket, hostname: string): Promise<TLSSocket | null> {
  const secured = secure({
    socket,
    host: hostname, // whose certificate it has to be
    servername: isIP(hostname) === 0 ? hostname : "", // RFC 6066, 3: never a literal address
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true, // said, so that NODE_TLS_REJECT_UNAUTHORIZED can't switch it off
  });
  return new Promise((resolve) => {
    secured.on("error", () => {}); // `close` follows
    secured.once("secureConnect", () => resolve(secured));
    secured.once("close", () => resolve(null));
  });
}
