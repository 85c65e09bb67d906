import { describe, expect, it } from "vitest";
import { systemRandom } from "../../src/ports/random.ts";
import { createSeal } from "../../src/tokens/seal.ts";
import { hashSecret, isSameHash, makeSecret, parseToken } from "../../src/tokens/token-text.ts";

describe("a token's text", () => {
  it("contains a secret of 43 random letters and digits", () => {
    const secrets = Array.from({ length: 100 }, () => makeSecret(systemRandom));
    for (const secret of secrets) expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(new Set(secrets).size).toBe(100);
  });

  it.each([
    "",
    "1",
    "|",
    "1|short",
    `0|${"a".repeat(43)}`,
    `01|${"a".repeat(43)}`,
    `x|${"a".repeat(43)}`,
    `1|${"a".repeat(43)} `,
    `1|${"a".repeat(39)}!`,
    `99999999999999999999|${"a".repeat(43)}`,
  ])("is rejected if it is %j", (text) => {
    expect(parseToken(text)).toBeNull();
  });

  it("is split at the pipe", () => {
    // the SHA-256 of the letter "a", 43 times
    const secretHash = "66d34fba71f8f450f7e45598853e53bfc23bbd129027cbb131a2f4ffd7878cd0";
    expect(parseToken(`12|${"a".repeat(43)}`)).toEqual({ id: 12, secretHash });
  });

  it("contains a secret that matches only its own hash", () => {
    expect(isSameHash(hashSecret("one"), hashSecret("one"))).toBe(true);
    expect(isSameHash(hashSecret("one"), hashSecret("two"))).toBe(false);
  });
});

describe("createSeal", () => {
  const seal = createSeal("a key of some length", systemRandom);

  it.each(["", "fifteen letters"])("rejects the key %j, which is too short", (secretKey) => {
    expect(() => createSeal(secretKey, systemRandom)).toThrow("at least 16 characters");
  });

  it("opens a sealed secret", () => {
    expect(seal.open(seal.seal("secret ✓"))).toBe("secret ✓");
  });

  it("encrypts the same secret differently each time", () => {
    const [first, second] = [seal.seal("secret"), seal.seal("secret")];
    expect(first).not.toBe(second);
    expect(Buffer.from(first, "hex").includes("secret")).toBe(false);
  });

  it("digests the same secret to the same value, and to a different one with another key", () => {
    expect(seal.digest("secret")).toMatch(/^[0-9a-f]{64}$/);
    expect(seal.digest("secret")).toBe(seal.digest("secret"));
    expect(seal.digest("secret")).not.toBe(seal.digest("other"));
    expect(seal.digest("secret")).not.toBe(
      createSeal("another key of some length", systemRandom).digest("secret"),
    );
  });

  it("rejects a secret that was sealed with another key or altered", () => {
    expect(() => createSeal("another key of some length", systemRandom).open(seal.seal("secret"))).toThrow(
      /authenticate/,
    );
    const sealed = seal.seal("secret");
    const altered = sealed.slice(0, -1) + (sealed.endsWith("0") ? "1" : "0");
    expect(() => seal.open(altered)).toThrow(/authenticate/);
  });
});
