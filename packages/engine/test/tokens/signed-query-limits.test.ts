import { createMemoryStorage } from "@snap/testing";
import { expect, it } from "vitest";
import { systemRandom } from "../../src/ports/random.ts";
import { authenticateSigned } from "../../src/tokens/authenticate-signed.ts";
import { createSeal } from "../../src/tokens/seal.ts";

/** Returns the message that rejects a query, and the number of token lookups. */
async function rejectionOf(query: string | URLSearchParams): Promise<[message: string, lookups: number]> {
  let lookups = 0;
  const { tokens } = createMemoryStorage();
  const find = (id: number): ReturnType<typeof tokens.find> => ((lookups += 1), tokens.find(id));
  const seal = createSeal("a key for these tests", systemRandom);
  const rejected = authenticateSigned({ tokens: { find }, seal, now: 0 }, query);
  const message = await rejected.then(
    () => "accepted",
    (error: unknown) => (error as Error).message,
  );
  return [message, lookups];
}

const signed = `tokenId=1&signature=${"0".repeat(64)}`;
const names = (count: number): string => Array.from({ length: count }, (_, index) => `n${index}=`).join("&");
const TOO_MANY = "Too many parameters in a signed URL (limit 128).";

it.each([
  ["129 parameters", `${names(127)}&${signed}`],
  ["thousands of parameters", `${"a&".repeat(30_000)}${signed}`],
])("%s are rejected before the token is looked up", async (_what, query) => {
  expect(await rejectionOf(query)).toEqual([TOO_MANY, 0]);
  expect(await rejectionOf(new URLSearchParams(query))).toEqual([TOO_MANY, 0]);
});

it("128 parameters are verified", async () => {
  const [message, lookups] = await rejectionOf(`${names(126)}&${signed}`);
  expect(message).toMatch(/^The URL is not signed, or the signature does not match/);
  expect(lookups).toBe(1);
});
