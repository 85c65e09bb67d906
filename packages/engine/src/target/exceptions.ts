import { isInBlock, parseAddress, parseBlock } from "./address.ts";
import { normalizeHostname } from "./hostname.ts";
import type { AllowedTarget, TargetPolicy } from "./policy.ts";
import { isWebPort } from "./port.ts";

/** Whether the operator opened this very host name, whatever it resolves to. */
export function allowsName(asked: {
  readonly hostname: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  return asked.policy.allow.some(
    (entry) =>
      entry.kind === "name" &&
      normalizeHostname(entry.hostname) === asked.hostname &&
      coversPort(entry, asked.port),
  );
}

/** Whether the operator opened a block that this address is in. */
export function allowsAddress(asked: {
  readonly address: string;
  readonly port: number;
  readonly policy: TargetPolicy;
}): boolean {
  const address = parseAddress(asked.address);
  if (address === null) return false;
  return asked.policy.allow.some((entry) => {
    if (entry.kind !== "block" || !coversPort(entry, asked.port)) return false;
    const block = parseBlock(`${entry.address}/${entry.prefixLength}`);
    return block !== null && isInBlock(address, block);
  });
}

/** Whether some address is open at this port, which only a look-up can tell from the others. */
export function allowsSomeAddress({ allow }: TargetPolicy, port: number): boolean {
  return allow.some((entry) => entry.kind === "block" && entry.port === port);
}

function coversPort({ port }: AllowedTarget, asked: number): boolean {
  return port === null ? isWebPort(asked) : port === asked;
}
