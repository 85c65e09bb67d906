import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalQuery, signQuery, verifyQuery } from "../../src/index.ts";

const text = (): fc.Arbitrary<string> => fc.string({ unit: "binary", maxLength: 20 });
const pairs = (): fc.Arbitrary<[string, string][]> =>
  fc.uniqueArray(fc.tuple(text(), text()), { selector: ([name]) => name, maxLength: 10 });
const pairsInTwoOrders = pairs().chain((one) =>
  fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length })),
);

describe("canonicalQuery", () => {
  it("does not depend on the order of distinct names", () => {
    fc.assert(
      fc.property(pairsInTwoOrders, ([one, other]) => {
        const sent = new URLSearchParams(other).toString();
        expect(canonicalQuery(new URLSearchParams(sent))).toBe(canonicalQuery(one));
      }),
    );
  });

  it("contains every pair except the signature, sorted by name in byte order", () => {
    fc.assert(
      fc.property(pairs(), (sent) => {
        const sorted = sent
          .filter(([name]) => name !== "signature")
          .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect([...new URLSearchParams(canonicalQuery(sent))]).toEqual(sorted);
      }),
    );
  });

  it("contains only unreserved characters, uppercase %XX, equals signs and ampersands", () => {
    fc.assert(
      fc.property(pairs(), (sent) => {
        expect(canonicalQuery(sent)).toMatch(/^(?:[A-Za-z0-9\-._~=&]|%[0-9A-F]{2})*$/);
      }),
    );
  });

  it("replaces a lone surrogate with U+FFFD, as URLSearchParams does", () => {
    expect(canonicalQuery([["a", "\ud83d"]])).toBe("a=%EF%BF%BD");
    expect(canonicalQuery(new URLSearchParams([["a", "\ud83d"]]))).toBe("a=%EF%BF%BD");
  });

  it("does not modify its input", () => {
    const input: readonly [string, string][] = Object.freeze([
      ["b", "1"],
      ["a", "2"],
    ]);
    expect(canonicalQuery(input)).toBe("a=2&b=1");
    expect(input[0]).toEqual(["b", "1"]);
  });
});

describe("verifyQuery", () => {
  const query = [
    ["url", "https://example.com/"],
    ["tokenId", "7"],
  ] as const;
  const signingSecret = "signing secret";
  const signature = signQuery(query, signingSecret);

  it("accepts the signature of the query", () => {
    expect(verifyQuery(query, { signature, signingSecret })).toBe(true);
  });

  it.each([
    ["in upper case", signature.toUpperCase()],
    ["too short", signature.slice(0, 63)],
    ["too long", `${signature}0`],
    ["followed by a newline", `${signature}\n`],
    ["preceded by a space", ` ${signature}`],
    ["empty", ""],
    ["made with another secret", signQuery(query, "another secret")],
  ])("rejects a signature that is %s", (_, other) => {
    expect(verifyQuery(query, { signature: other, signingSecret })).toBe(false);
  });

  it("rejects a signature with one changed digit", () => {
    for (const [index, digit] of Array.from(signature).entries()) {
      const changed = `${signature.slice(0, index)}${digit === "0" ? "1" : "0"}${signature.slice(index + 1)}`;
      expect(verifyQuery(query, { signature: changed, signingSecret })).toBe(false);
    }
  });
});
