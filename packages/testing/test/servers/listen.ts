import type { Server } from "node:net";
import { onTestFinished } from "vitest";
import { openPort } from "./open-port.ts";

/** Starts a server on a free port for the running test; returns the port. */
export async function listen(server: Server, host?: string): Promise<number> {
  const { port, close } = await openPort(server, host);
  onTestFinished(close);
  return port;
}
