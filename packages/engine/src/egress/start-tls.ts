import { isIP, type Socket } from "node:net";
import { connect as secure, type TLSSocket } from "node:tls";

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
