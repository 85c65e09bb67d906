import { isInBlock, parseAddress, parseBlock, type Address, type AddressBlock } from "./address.ts";
import { normalizeHostname } from "./hostname.ts";
import type { ClosedSocket, TargetPolicy } from "./policy.ts";

/** Each of them leads to what listens on this machine. */
const HERE = ["127.0.0.0/8", "0.0.0.0/8", "::/127"].map(parseBlock).filter((block) => block !== null);

/** Whether this host and port, or the address that a host led to, is one that no exception opens. */
export function isClosed(asked: {
  /** A normalized host name, or a textual address. */
  readonly host: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  const { host, port, policy } = asked;
  const { closed = [] } = policy;
  if (closed.length === 0) return false;
  const address = parseAddress(host);
  return closed.some((socket) => socket.port === port && isSameHost(socket, { host, address }));
}

function isSameHost(
  socket: ClosedSocket,
  { host, address }: { readonly host: string; readonly address: Address | null },
): boolean {
  const own = normalizeHostname(socket.hostname);
  const ownAddress = parseAddress(own);
  if (address === null) return own === host;
  if (own === "localhost") return isHere(address);
  if (ownAddress === null) return false;
  if (isHere(ownAddress)) return isHere(address);
  return ownAddress.bits === address.bits && ownAddress.value === address.value;
}

function isHere(address: Address): boolean {
  return HERE.some((block: AddressBlock) => isInBlock(address, block));
}
