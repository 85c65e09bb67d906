import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyTarget } from "../../src/targets/target.ts";
import { PUBLIC_TARGETS_ONLY, type TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

interface Row {
  readonly group: string;
  readonly url: string;
  readonly expect: "ok" | "dns" | "target_unreachable" | "blocked_host" | "invalid_url";
}

const rows = JSON.parse(
  readFileSync(new URL("../fixtures/egress-urls.json", import.meta.url), "utf8"),
) as readonly Row[];

const VERDICTS: Record<Row["expect"], readonly string[]> = {
  ok: ["ok"],
  dns: ["ok"],
  target_unreachable: ["ok"],
  blocked_host: ["blocked"],
  invalid_url: ["malformed", "credentials"],
};

const classify = (url: string): string => classifyTarget(url, PUBLIC_TARGETS_ONLY);

describe("the fixture of egress URLs", () => {
  it("is complete", () => expect(rows).toHaveLength(98));

  it.each(rows)("has the expected verdict: $url is $expect ($group)", ({ url, expect: expected }) => {
    expect(VERDICTS[expected]).toContain(classify(url));
  });
});

describe("the precedence of the verdicts", () => {
  it.each([
    ["http://user:pass@example.com\\/", "malformed"],
    ["http://user:pass@10.0.0.1/", "blocked"],
    ["http://example.com@127.0.0.1/", "blocked"],
    ["http://user:pass@example.com/", "credentials"],
    ["http://user@example.com/", "credentials"],
    ["http://:pass@example.com/", "credentials"],
    ["http://@example.com/", "ok"],
  ])("decides that %s is %s", (url, verdict) => expect(classify(url)).toBe(verdict));
});

describe("the syntax of a URL", () => {
  it.each([
    ["HTTPS://EXAMPLE.com/", "ok"],
    ["http:/example.com/", "malformed"],
    ["http:example.com", "malformed"],
    ["https:\\\\example.com", "malformed"],
    ["http://example.com/\\?a", "malformed"],
    ["http://example.com?\\@10.0.0.1/", "ok"],
    ["http://10.0.0.1/?\\@example.com/", "blocked"],
    [" http://example.com/", "ok"],
    ["\thttp://example.com/", "malformed"],
    ["http://example.com/\n", "malformed"],
    ["http://exa\u0007mple.com/", "malformed"],
    ["http://example.com/a b", "ok"],
    ["http://example.com/\u0085", "malformed"],
    ["http://", "malformed"],
    ["http://www.xn--a/", "malformed"],
    ["http://xn--localhost-/", "malformed"],
    ["http://xn--bcher-kva.example/", "ok"],
    ["http://faß.de/", "ok"],
    ["http://[::1", "malformed"],
    ["http://./", "blocked"],
    ["http://localhost./", "blocked"],
    ["http://127.0.0.1./", "blocked"],
    ["http://intranet./", "blocked"],
  ])("decides that %j is %s", (url, verdict) => expect(classify(url)).toBe(verdict));
});

describe("the port of a URL", () => {
  it.each([
    ["http://example.com:80/", "ok"],
    ["http://example.com:443/", "ok"],
    ["http://example.com:1024/", "ok"],
    ["http://example.com:65535/", "ok"],
    ["http://8.8.8.8:8080/", "ok"],
    ["http://example.com:0/", "blocked"],
    ["http://example.com:22/", "blocked"],
    ["http://example.com:79/", "blocked"],
    ["http://example.com:81/", "blocked"],
    ["https://example.com:444/", "blocked"],
    ["http://8.8.8.8:25/", "blocked"],
    ["http://example.com:1023/", "blocked"],
    ["http://example.com:65536/", "malformed"],
  ])("decides that %s is %s", (url, verdict) => expect(classify(url)).toBe(verdict));
});

describe("the host of this service", () => {
  const policy: TargetPolicy = { allow: [], ownHostnames: ["Snap.Example.com.", "8.8.8.8", "[2600::1]"] };

  it.each([
    ["https://snap.example.com/", "blocked"],
    ["https://SNAP.example.com.:8080/", "blocked"],
    ["https://www.snap.example.com/", "ok"],
    ["http://8.8.8.8/", "blocked"],
    ["http://[::ffff:808:808]/", "blocked"],
    ["http://[2600:0::0001]/", "blocked"],
    ["http://8.8.4.4/", "ok"],
  ])("is recognized: %s is %s", (url, verdict) => expect(classifyTarget(url, policy)).toBe(verdict));

  it("is allowed if the allowlist contains it", () => {
    const allow = parseTargetList("snap.example.com,8.8.8.8:3000");
    expect(classifyTarget("https://snap.example.com/", { ...policy, allow })).toBe("ok");
    expect(classifyTarget("http://8.8.8.8:3000/", { ...policy, allow })).toBe("ok");
    expect(classifyTarget("http://8.8.8.8/", { ...policy, allow })).toBe("blocked");
  });
});

describe("the allowlist", () => {
  const classifyWith = (entries: string, url: string): string =>
    classifyTarget(url, { allow: parseTargetList(entries), ownHostnames: [] });

  it.each([
    ["127.0.0.1:3001", "http://127.0.0.1:3001/", "ok"],
    ["127.0.0.1:3001", "http://0x7f.1:3001/", "ok"],
    ["127.0.0.1:3001", "http://[::ffff:127.0.0.1]:3001/", "ok"],
    ["127.0.0.1:3001", "http://127.0.0.1:3002/", "blocked"],
    ["127.0.0.1:3001", "http://127.0.0.2:3001/", "blocked"],
    ["127.0.0.1:3001", "http://localhost:3001/", "blocked"],
    ["127.0.0.1:3001", "http://u:p@127.0.0.1:3001/", "credentials"],
    ["127.0.0.1", "http://127.0.0.1/", "ok"],
    ["127.0.0.1", "https://127.0.0.1/", "ok"],
    ["127.0.0.1", "http://127.0.0.1:1024/", "ok"],
    ["127.0.0.1", "http://127.0.0.1:22/", "blocked"],
    ["127.0.0.1:22", "http://127.0.0.1:22/", "ok"],
    ["10.0.0.0/8", "http://10.255.255.255/", "ok"],
    ["10.0.0.0/8", "http://11.0.0.0:22/", "blocked"],
    ["[::1]:3000", "http://[::1]:3000/", "ok"],
    ["[::1]:3000", "http://[::1]:3001/", "blocked"],
    ["[fd00::/8]:3000", "http://[fdff::1]:3000/", "ok"],
    ["fd00::/8", "http://[fdff::1]/", "ok"],
    ["fd00::/8", "http://[fe80::1]/", "blocked"],
    ["localhost:3001", "http://localhost:3001/", "ok"],
    ["localhost:3001", "http://LOCALHOST.:3001/", "ok"],
    ["localhost:3001", "http://127.0.0.1:3001/", "blocked"],
    ["localhost:3001", "http://foo.localhost:3001/", "blocked"],
    ["wiki.internal", "http://wiki.internal/", "ok"],
    ["wiki.internal", "http://wiki.internal:22/", "blocked"],
    ["wiki.internal:22", "http://wiki.internal:22/", "ok"],
    ["::/0", "http://127.0.0.1/", "blocked"],
  ])("decides, with %s, that %s is %s", (entries, url, verdict) =>
    expect(classifyWith(entries, url)).toBe(verdict),
  );

  it("defers to name resolution if a port is allowed only for some addresses", () => {
    expect(classifyWith("10.0.0.0/8:22", "http://host.example.com:22/")).toBe("ok");
    expect(classifyWith("10.0.0.0/8:22", "http://host.example.com:23/")).toBe("blocked");
    expect(classifyWith("10.0.0.0/8:22", "http://8.8.8.8:22/")).toBe("blocked");
  });
});

/** A number within an IPv4 address, in a notation that browsers accept: decimal, octal or hexadecimal. */
function notate(value: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(10, 8, 16), fc.nat({ max: 3 }))
    .map(([radix, zeros]) =>
      radix === 10 ? `${value}` : `${radix === 8 ? "0" : "0x"}${"0".repeat(zeros)}${value.toString(radix)}`,
    );
}

/** Every notation of an IPv4 address: one to four numbers, the last of which covers the remaining octets. */
function notateIpv4(address: number): fc.Arbitrary<string> {
  return fc.integer({ min: 1, max: 4 }).chain((count) => {
    const octets = Array.from({ length: count - 1 }, (_, index) => (address >>> (24 - 8 * index)) & 255);
    const last = address % 2 ** (8 * (5 - count));
    return fc.tuple(...[...octets, last].map(notate)).map((numbers) => numbers.join("."));
  });
}

/** Percent-encodes characters or makes them full-width; browsers map both back. */
function disguise(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(
      ...Array.from(text).map((character) => {
        const code = character.charCodeAt(0);
        const encoded = `%${code.toString(16).padStart(2, "0")}`;
        return fc.constantFrom(character, encoded, String.fromCharCode(code + 0xfee0));
      }),
    )
    .map((characters) => characters.join(""));
}

describe("classifyTarget", () => {
  it("blocks every notation of every loopback address", () => {
    const notation = fc
      .nat({ max: 0xff_ffff })
      .chain((rest) => notateIpv4(0x7f00_0000 + rest))
      .chain(disguise);
    fc.assert(
      fc.property(notation, fc.constantFrom("", ".", ":80", ":8080"), (host, end) => {
        expect(classify(`http://${host}${end}/`)).toBe("blocked");
      }),
      { examples: [["2130706433", ""]] },
    );
  });

  it("accepts only what a parser reads as http or https, and never throws", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((rest) => `http://${rest}`),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
    );
    fc.assert(
      fc.property(text, (url) => {
        if (classify(url) !== "ok") return;
        const { protocol, username, password } = new URL(url);
        expect([protocol, username, password]).toEqual([expect.stringMatching(/^https?:$/), "", ""]);
      }),
    );
  });
});
