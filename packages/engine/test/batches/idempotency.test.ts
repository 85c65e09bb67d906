import { expect, it } from "vitest";
import { createClaim } from "../../src/batches/idempotency.ts";
import { createCacheKey } from "../../src/parameters/cache-key.ts";
import { parseParameters } from "../../src/parameters/parse.ts";

const cacheKey = createCacheKey({ digest: (secret) => secret });

function digestOf(item: object): string {
  const parameters = parseParameters({ url: "https://example.com/", ...item });
  const submission = { items: [{ parameters, sent: { url: parameters.url } }], webhookUrl: null };
  return createClaim({ cacheKey }, { idempotencyKey: "key", submission, now: 0 }).digest;
}

it("an explicit default storeKey does not change the digest of a submission", () => {
  const stored = digestOf({ storeTo: "archive" });
  expect(digestOf({ storeTo: "archive", storeKey: "{host}/{date}/{id}.{ext}" })).toBe(stored);
  expect(digestOf({ storeTo: "archive", storeKey: "{host}/{id}.{ext}" })).not.toBe(stored);
  expect(digestOf({ storeTo: "backup" })).not.toBe(stored);
  expect(digestOf({})).not.toBe(stored);
});
