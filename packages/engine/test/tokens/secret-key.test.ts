import { createFakeClock, createFakeRandom, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { signQuery } from "../../src/index.ts";
import type { TokenStore } from "../../src/ports/tokens.ts";
import { createSeal } from "../../src/tokens/seal.ts";
import { authenticateSigned } from "../../src/tokens/authenticate-signed.ts";
import { createTokens, type Tokens } from "../../src/tokens/tokens.ts";

const { accounts, tokens: store } = createMemoryStorage();
const random = createFakeRandom(1);

function tokensWith(secretKey: string, changed: Partial<TokenStore> = {}): Tokens {
  const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  return createTokens({
    store: { ...store, ...changed },
    accounts,
    seal: createSeal(secretKey, random),
    clock,
    random,
  });
}

const seal = (secretKey: string): string => createSeal(secretKey, random).seal("a secret");

const correct = tokensWith("the key that encrypts");
const wrong = tokensWith("another key altogether");
const WRONG_KEY = "the secret key is not the one that encrypted the stored signing secrets";

describe("the secret key", () => {
  let ids: number[] = [];

  beforeEach(async () => {
    for (const { id } of await accounts.list())
      for (const token of await store.listByAccount(id)) await store.revoke(token.id);
    ids = [];
  });

  async function createTwo(): Promise<void> {
    for (const id of ["acct_1", "acct_2"]) {
      if ((await accounts.find(id)) === null)
        await accounts.insert({
          id,
          email: `${id}@example.com`,
          emailVerifiedAt: null,
          planSlug: null,
          creditsPerPeriod: null,
          requestsPerMinute: null,
          createdAt: 0,
          suspendedAt: null,
          deletionStartedAt: null,
        });
      ids.push((await correct.create({ accountId: id })).record.id);
    }
  }

  /** Replaces a token's signing secret with one that `wrong` can decrypt; returns it, encrypted. */
  async function replaceSecret(id: number): Promise<string> {
    const { sealedSigningSecret: current } = await correct.get(id);
    const next = seal("another key altogether");
    await store.replaceSigningSecret(id, { current, next });
    return next;
  }

  it("is compared with the key that encrypted the newest token's signing secret", async () => {
    expect(await correct.checkSecretKey()).toBe("unused");
    await createTwo();
    expect(await correct.checkSecretKey()).toBe("matches");
    expect(await wrong.checkSecretKey()).toBe("differs");
    await replaceSecret(ids[1] ?? 0);
    expect(await correct.checkSecretKey()).toBe("differs");
    expect(await wrong.checkSecretKey()).toBe("matches");
  });

  it("encrypts nothing while it cannot decrypt the stored secrets", async () => {
    await createTwo();
    await expect(wrong.create({ accountId: "acct_1" })).rejects.toThrow(WRONG_KEY);
    await expect(wrong.rotate(ids[0] ?? 0)).rejects.toThrow(WRONG_KEY);
    expect(await store.listByAccount("acct_1")).toHaveLength(1);
    await expect(correct.reveal(ids[0] ?? 0)).resolves.toBeDefined();
  });

  it("no longer matches once the first secret is replaced, even if the replacement is killed", async () => {
    await createTwo();
    let calls = 0;
    const killed = tokensWith("another key altogether", {
      replaceSigningSecret(...request) {
        calls += 1;
        return calls === 1 ? store.replaceSigningSecret(...request) : Promise.reject(new Error("killed"));
      },
    });
    await expect(killed.replaceLostSecrets()).rejects.toThrow("killed");
    expect(await correct.checkSecretKey()).toBe("differs");
    expect(await wrong.checkSecretKey()).toBe("matches");
    expect(await wrong.replaceLostSecrets({ dryRun: true })).toHaveLength(1);
  });

  it("neither reveals a secret that it cannot decrypt nor allows an overlap for it", async () => {
    await createTwo();
    const [lost = 0, newest = 0] = ids;
    await replaceSecret(newest);
    const LOST = {
      name: "AdminError",
      message: `the secret key cannot decrypt the signing secret of token ${lost}`,
      advice: "rotate the token without an overlap; `snap-server secret-key replace` lists all such tokens",
    };
    await expect(wrong.reveal(lost)).rejects.toMatchObject(LOST);
    await expect(wrong.rotate(lost, { overlapMs: 1 })).rejects.toMatchObject(LOST);
    const { signingSecret } = await wrong.rotate(lost);
    expect(await wrong.reveal(lost)).toMatchObject({ record: { previous: null }, signingSecret });
  });

  it("verifies no signed query if it cannot decrypt the token's secret", async () => {
    await createTwo();
    const [id = 0] = ids;
    const query = new URLSearchParams({ url: "https://example.com/", tokenId: String(id) });
    query.set("signature", signQuery(query, (await correct.reveal(id)).signingSecret));
    const now = Date.parse("2026-03-01T12:00:00Z");
    const verify = (secretKey: string): Promise<unknown> =>
      authenticateSigned({ tokens: store, seal: createSeal(secretKey, random), now }, query);
    await expect(verify("the key that encrypts")).resolves.toBeDefined();
    await expect(verify("another key altogether")).rejects.toMatchObject({ code: "invalid_signature" });
  });

  it("can be replaced without changing the secrets that the new key can decrypt", async () => {
    await createTwo();
    const [lost = 0, newest = 0] = ids;
    const kept = await replaceSecret(newest);
    expect((await wrong.replaceLostSecrets()).map(({ id }) => id)).toEqual([lost]);
    expect((await wrong.get(newest)).sealedSigningSecret).toBe(kept);
  });

  it("can be replaced if it is lost; a dry run lists the tokens and changes nothing", async () => {
    await createTwo();
    const before = await Promise.all(ids.map((id) => store.find(id)));
    expect((await wrong.replaceLostSecrets({ dryRun: true })).map(({ id }) => id)).toEqual(ids);
    expect(await Promise.all(ids.map((id) => store.find(id)))).toEqual(before);
    expect((await wrong.replaceLostSecrets()).map(({ id }) => id)).toEqual(ids);
    expect(await wrong.replaceLostSecrets()).toEqual([]);
    expect(await wrong.checkSecretKey()).toBe("matches");
    for (const [index, id] of ids.entries()) {
      const { record, signingSecret } = await wrong.reveal(id);
      expect(signingSecret).toMatch(/^[0-9A-Za-z]{40,}$/);
      expect(record).toEqual({
        ...before[index]?.token,
        sealedSigningSecret: record.sealedSigningSecret,
      });
    }
  });
});
