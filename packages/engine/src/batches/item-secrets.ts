import { secretsIn } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { ItemRecord } from "../ports/batches.ts";
import type { Seal } from "../tokens/seal.ts";

type Parameters = ItemRecord["parameters"];

/** Replaces an item's secrets with their sealed JSON, for storage. */
export function sealSecrets(parameters: Parameters, seal: Seal): Parameters {
  return mapSecrets(parameters, (value) => seal.seal(JSON.stringify(value)));
}

/**
 * Returns the parameters with the secrets that `sealSecrets` sealed.
 *
 * @throws SnapError `render_failed` if another secret key sealed them.
 */
export function openSecrets(parameters: Parameters, seal: Seal): Parameters {
  return mapSecrets(parameters, (value, name) => {
    try {
      return JSON.parse(seal.open(String(value))) as unknown;
    } catch {
      const message = `The service can no longer read ${name}, because its secret key was replaced; submit the item again.`;
      throw new SnapError("render_failed", message);
    }
  });
}

/** Replaces the secrets with `null`, which records that the item had some: a signed URL cannot contain them. */
export function dropSecrets(parameters: Parameters): Parameters {
  return mapSecrets(parameters, () => null);
}

function mapSecrets(parameters: Parameters, map: (value: unknown, name: string) => unknown): Parameters {
  const mapped = secretsIn(parameters).map((name) => [name, map(parameters[name], name)] as const);
  return { ...parameters, ...Object.fromEntries(mapped) };
}
