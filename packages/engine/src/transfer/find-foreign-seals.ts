import { systemRandom } from "../ports/random.ts";
import type { TransferSource } from "../ports/transfer.ts";
import { createSeal } from "../tokens/seal.ts";

/**
 * The ids of the tokens in a source whose signing secrets `secretKey` can't open, as they were sealed
 * under another key.
 *
 * @throws Error when the key is shorter than 16 characters.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * const ids = await findForeignSeals(source, process.env.SNAP_SECRET_KEY ?? "");
 */
export async function findForeignSeals(
  source: TransferSource,
  secretKey: string,
): Promise<readonly number[]> {
  const seal = createSeal(secretKey, systemRandom);
  const foreign: number[] = [];
  let page = await source.read(null);
  // Tokens come behind the accounts and before all else.
  while (page?.kind === "accounts" || page?.kind === "tokens") {
    if (page.kind === "tokens")
      for (const { id, sealedSigningSecret } of page.records)
        if (!opens(() => seal.open(sealedSigningSecret))) foreign.push(id);
    page = await source.read(page.next);
  }
  return foreign;
}

function opens(open: () => string): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}
