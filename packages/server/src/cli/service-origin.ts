import { publicUrlOf, type Config } from "../config.ts";
import { readServedAddress } from "../served-address.ts";

/** Returns the origin at which clients reach the service, for the output of a command; `null` if it is unknown. */
export async function serviceOrigin(config: Config): Promise<string | null> {
  const { publicUrl, port, shared, dataDir } = config;
  const known = publicUrl ?? (shared === null ? await readServedAddress(dataDir) : null);
  // 0 picks a free port
  return known ?? (port === 0 ? null : publicUrlOf(config, port));
}
