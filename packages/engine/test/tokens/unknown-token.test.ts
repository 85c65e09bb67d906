import { createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import { systemRandom } from "../../src/ports/random.ts";
import { authenticateSigned } from "../../src/tokens/authenticate-signed.ts";
import { createSeal } from "../../src/tokens/seal.ts";

it("a URL that names an unknown token is verified with a secret as long as a real one", async () => {
  const { tokens } = createMemoryStorage();
  const seal = createSeal("a key for these tests", systemRandom);
  const lengths = new Set<number>();
  const open = (sealed: string): string => {
    const secret = seal.open(sealed);
    lengths.add(secret.length);
    return secret;
  };
  const query = `tokenId=1&signature=${"0".repeat(64)}`;
  const authenticated = authenticateSigned({ tokens, seal: { ...seal, open }, now: 0 }, query);
  await expect(authenticated).rejects.toThrow("not signed");
  expect(lengths).toEqual(new Set([43]));
});
