import { createHash, createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { equalsInConstantTime, hmacSha256, toHex } from "../../src/signing/hmac.ts";
import { sha256 } from "../../src/signing/sha256.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);
const LENGTHS = Array.from({ length: 301 }, (_, length) => length);

describe("sha256", () => {
  // The examples of NIST for FIPS 180-4: none, one and two blocks, and a million times "a".
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    [
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    ],
    ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  ])("%.20s", (message, digest) => {
    expect(toHex(sha256(text(message)))).toBe(digest);
  });

  it("is node:crypto's, for random messages of every length up to 300 bytes", () => {
    const messages = LENGTHS.map((length) => randomBytes(length));
    expect(messages.map((message) => [message, toHex(sha256(message))])).toEqual(
      messages.map((message) => [message, createHash("sha256").update(message).digest("hex")]),
    );
  });

  it("reads a view into a larger buffer", () => {
    const whole = text("--abc--");
    expect(sha256(whole.subarray(2, 5))).toEqual(sha256(text("abc")));
    expect(whole).toEqual(text("--abc--"));
  });
});

describe("hmacSha256", () => {
  // RFC 4231, test cases 1 to 4, 6 and 7.
  it.each([
    [filled(20, 0x0b), text("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    [
      text("Jefe"),
      text("what do ya want for nothing?"),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [filled(20, 0xaa), filled(50, 0xdd), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
    [
      Uint8Array.from({ length: 25 }, (_, index) => index + 1),
      filled(50, 0xcd),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
    [
      filled(131, 0xaa),
      text("Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
    [
      filled(131, 0xaa),
      text(
        "This is a test using a larger than block-size key and a larger than block-size data. " +
          "The key needs to be hashed before being used by the HMAC algorithm.",
      ),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ],
  ])("RFC 4231, case %#", (key, message, digest) => {
    expect(toHex(hmacSha256(key, message))).toBe(digest);
  });

  it("is node:crypto's, for random keys and messages of every length up to 300 bytes", () => {
    const inputs = LENGTHS.map((length) => [randomBytes(length), randomBytes(300 - length)] as const);
    expect(inputs.map(([key, message]) => [key, message, toHex(hmacSha256(key, message))])).toEqual(
      inputs.map(([key, message]) => [key, message, createHmac("sha256", key).update(message).digest("hex")]),
    );
  });
});

describe("equalsInConstantTime", () => {
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
    // The same when only the low byte of a character is looked at.
    ["\u0161bc", "abc", false],
  ])("%j and %j: %s", (given, expected, same) => {
    expect(equalsInConstantTime(given, expected)).toBe(same);
  });
});
