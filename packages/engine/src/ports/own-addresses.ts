import { networkInterfaces } from "node:os";

/** Returns the addresses of this machine's network interfaces; the same array as long as it is not read again. */
export type OwnAddresses = () => readonly string[];

/** Reading them takes 0.2 ms, and a page may open hundreds of connections a second. */
const READ_INTERVAL_MS = 1_000;

/** Reads the addresses at most once a second, so an address that is added or removed counts within that time. */
export function createOwnAddresses(
  read: () => readonly string[] = readInterfaces,
  elapsedMs: () => number = () => performance.now(),
): OwnAddresses {
  let addresses: readonly string[] = [];
  let readAtMs = -Infinity;
  return () => {
    if (elapsedMs() - readAtMs >= READ_INTERVAL_MS) {
      addresses = read();
      readAtMs = elapsedMs();
    }
    return addresses;
  };
}

function readInterfaces(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((interfaces = []) =>
    interfaces.map(({ address }) => address),
  );
}

/** The operating system's. */
export const systemAddresses: OwnAddresses = createOwnAddresses();
