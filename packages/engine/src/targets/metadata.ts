import { parseAddress, reachedAddresses } from "./addresses.ts";
import { listsAddress, normalizeHostname, parseTargetList } from "./target-list.ts";

/** Link-local addresses, and the other addresses of clouds' metadata services, which hand out credentials. */
export const METADATA_TARGETS = parseTargetList(
  "169.254.0.0/16, fe80::/10, 100.100.100.200, 168.63.129.16, fd00:ec2::254, fd20:ce::254",
);

/** Returns whether a URL's host is an address in `METADATA_TARGETS`; `false` for a name, whatever it resolves to. */
export function isMetadataAddress(host: string): boolean {
  const address = parseAddress(normalizeHostname(host));
  const reached = address === null ? [] : reachedAddresses(address);
  return reached.some((each) => METADATA_TARGETS.some((entry) => listsAddress(entry, each)));
}
