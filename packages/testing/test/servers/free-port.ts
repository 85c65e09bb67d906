import { createServer } from "node:net";
import { openPort } from "./open-port.ts";

/** Returns a free port on the loopback interface. Another program might take it before the caller does. */
export async function findFreePort(): Promise<number> {
  const { port, close } = await openPort(createServer());
  await close();
  return port;
}
