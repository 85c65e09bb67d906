import type { Config } from "../../config.ts";
import { checkEmbedded } from "./check-embedded.ts";
import { checkShared } from "./check-shared.ts";
import type { Finding } from "../../findings/finding.ts";

export function checkStorage(config: Config): Promise<readonly Finding[]> {
  return config.shared === null ? checkEmbedded(config) : checkShared(config, config.shared);
}
