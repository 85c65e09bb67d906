import { networkInterfaces } from "node:os";

/** Returns the addresses of this machine's network interfaces; the same array until they are read again. */
export type OwnAddresses = () => readonly string[];

/** Reading them takes 0.2 ms, and a page can open hundreds of connections a second. */
const READ_INTERVAL_MS = 1_000;

/** Reads the addresses at most once a second, so an added or removed address takes effect within that time. */
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

/** The addresses that the operating system reports. */
export const systemAddresses: OwnAddresses = createOwnAddresses();
