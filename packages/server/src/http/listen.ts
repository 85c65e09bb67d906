import { once } from "node:events";
import type { Server } from "node:net";

/**
 * Resolves once the server listens on the address.
 *
 * @throws Error with a message for the operator if it cannot.
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  server.listen({ host, port });
  try {
    // Rejects on an `error` event.
    await once(server, "listening");
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const reason = isTaken ? "another program is using it" : String(error);
    throw new Error(`cannot listen on ${host} port ${port}: ${reason}`, { cause: error });
  }
}
