import fc from "fast-check";
import { build } from "esbuild";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as chosen from "#hmac";
import * as node from "../../src/signing/hmac-node.ts";
import * as portable from "../../src/signing/hmac-portable.ts";
import { SIGNED_URLS, WEBHOOKS } from "./vectors.ts";

const VARIANTS: readonly (readonly [name: string, variant: typeof portable])[] = [
  ["node:crypto", node],
  ["@noble/hashes", portable],
];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

describe.each(VARIANTS)("HMAC with %s", (_name, { hmacSha256, equalsInConstantTime }) => {
  it.each(SIGNED_URLS)("signs the URL in the vector: $name", (vector) => {
    expect(hex(hmacSha256(vector.signing_secret, vector.string_to_sign))).toBe(vector.signature);
  });

  it.each(WEBHOOKS)("signs the webhook in the vector: $name", (vector) => {
    const body = Buffer.from(vector.body_base64, "base64");
    const signed = hmacSha256(vector.signing_secret, `snap-webhook-v1\n${vector.timestamp}\n`, body);
    expect(hex(signed)).toBe(vector.signature);
    const standard = hmacSha256(vector.signing_secret, `${vector.id}.${vector.timestamp}.`, body);
    expect(`v1,${Buffer.from(standard).toString("base64")}`).toBe(vector.standard_signature);
  });

  // test cases 2 and 1 of RFC 4231
  it.each([
    [
      "Jefe",
      "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    ["\v".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  ])("returns the digest of RFC 4231 for the key %j", (key, message, digest) => {
    expect(hex(hmacSha256(key, message))).toBe(digest);
  });

  it("reads a view of a larger buffer without changing it", () => {
    const whole = Buffer.from("--abc--");
    expect(hmacSha256("key", whole.subarray(2, 5))).toEqual(hmacSha256("key", "abc"));
    expect(whole.toString()).toBe("--abc--");
  });

  it("signs the parts as one message", () => {
    expect(hmacSha256("key", "a", filled(100, 0x62), "", "c")).toEqual(
      hmacSha256("key", `a${"b".repeat(100)}c`),
    );
  });

  it.each([
    ["", "", true],
    ["abc", "abc", true],
    ["é😀", "é😀", true],
    ["abc", "abd", false],
    ["bbc", "abc", false],
    ["ab", "abc", false],
    ["abc", "ab", false],
    ["", "abc", false],
    ["abc", "", false],
    ["abc\0", "abc", false],
    ["abc", "abc\0", false],
    ["ABC", "abc", false],
    ["e\u0301", "\u00e9", false],
    ["\u{1f600}", "\u{1f601}", false],
    // equal in UTF-8, where both become U+FFFD
    ["\ud83d", "\ud83e", false],
    // equal if only the low byte of a character is compared
    ["\u0161bc", "abc", false],
  ])("compares %j and %j as equal: %s", (given, expected, same) => {
    expect(equalsInConstantTime(given, expected)).toBe(same);
  });
});

describe("both variants of #hmac", () => {
  it("agree on every key and message", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    fc.assert(
      fc.property(text, text, fc.uint8Array({ maxLength: 300 }), (key, prefix, body) => {
        const [byNode, byLibrary] = VARIANTS.map(([, { hmacSha256 }]) => hex(hmacSha256(key, prefix, body)));
        expect(byLibrary).toBe(byNode);
      }),
    );
  });

  it("agree at every length up to five blocks", () => {
    for (let length = 0; length <= 320; length += 1) {
      const [key, message] = [randomBytes(length).toString("latin1"), randomBytes(320 - length)];
      expect(hex(portable.hmacSha256(key, message))).toBe(hex(node.hmacSha256(key, message)));
    }
  });
});

describe("the variant that a runtime gets", () => {
  it("is node:crypto in Node", () => {
    expect(chosen.hmacSha256).toBe(node.hmacSha256);
  });

  it.each([
    ["node", ["node"], "src/signing/hmac-node.ts"],
    ["a browser", ["browser"], "src/signing/hmac-portable.ts"],
    ["a worker", ["workerd", "worker", "browser"], "src/signing/hmac-portable.ts"],
    ["no platform", [], "src/signing/hmac-portable.ts"],
  ])("is $2 with the import conditions of $0", async (_name, conditions, variant) => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const { metafile } = await build({
      entryPoints: ["src/index.ts"],
      absWorkingDir: root,
      bundle: true,
      platform: "neutral",
      conditions,
      external: ["node:crypto"],
      metafile: true,
      write: false,
    });
    const bundled = Object.keys(metafile.inputs);
    expect(bundled.filter((path) => path.includes("/hmac-"))).toEqual([variant]);
  });
});
