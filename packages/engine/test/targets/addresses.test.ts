import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress, checkAddress } from "../../src/targets/target.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

/** For each non-public block: the address before it, its first and last address, and the address after it. */
const EDGES: readonly (readonly [
  block: string,
  before: string | null,
  first: string,
  last: string,
  after: string | null,
])[] = [
  ["0/8", null, "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10/8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.64/10", "100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["127/8", "126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["168.63.129.16", "168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"],
  ["169.254/16", "169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.16/12", "172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["192.0.0/24", "191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["192.0.2/24", "192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.31.196/24", "192.31.195.255", "192.31.196.0", "192.31.196.255", "192.31.197.0"],
  ["192.52.193/24", "192.52.192.255", "192.52.193.0", "192.52.193.255", "192.52.194.0"],
  ["192.88.99/24", "192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
  ["192.168/16", "192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["192.175.48/24", "192.175.47.255", "192.175.48.0", "192.175.48.255", "192.175.49.0"],
  ["198.18/15", "198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.100/24", "198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.113/24", "203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["224/4 and 240/4", "223.255.255.255", "224.0.0.0", "255.255.255.255", null],
  ["::/3", null, "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"],
  [
    "2001::/23",
    "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001::",
    "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:200::",
  ],
  [
    "2001:db8::/32",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
  ],
  [
    "2002::/16",
    "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2002::",
    "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2003::",
  ],
  [
    "2620:4f:8000::/48",
    "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8000::",
    "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8001::",
  ],
  [
    "3fff::/20",
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff::",
    "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
  ],
  [
    "4000::/2 and above",
    "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "4000::",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    null,
  ],
];

describe("the boundaries of non-public blocks", () => {
  it.each(EDGES)("are exact: %s", (_block, before, first, last, after) => {
    expect([before, first, last, after].map((address) => address && isPublicAddress(address))).toEqual([
      before && true,
      false,
      false,
      after && true,
    ]);
  });
});

describe("IPv4 inside IPv6", () => {
  it.each([
    ["mapped", "::ffff:8.8.8.8", true],
    ["mapped", "::ffff:10.0.0.1", false],
    ["mapped, in hexadecimal", "0:0:0:0:0:ffff:7f00:1", false],
    ["compatible", "::8.8.8.8", false],
    ["compatible, metadata", "::a9fe:a9fe", false],
    ["translated (RFC 2765)", "::ffff:0:8.8.8.8", false],
    ["NAT64", "64:ff9b::8.8.8.8", true],
    ["NAT64, loopback", "64:ff9b::7f00:1", false],
    ["NAT64, longer prefix", "64:ff9b:0:0:0:1:808:808", false],
    ["NAT64, local use (RFC 8215)", "64:ff9b:1::808:808", false],
    ["6to4", "2002:808:808::", false],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2", false],
    ["ISATAP", "2606:4700::5efe:808:808", false],
    ["ISATAP, universal", "2606:4700::200:5efe:808:808", false],
    ["ISATAP, group", "2606:4700::100:5efe:808:808", false],
    ["next to ISATAP", "2606:4700::400:5efe:808:808", true],
    ["next to ISATAP", "2606:4700::5eff:808:808", true],
  ])("is recognized: %s, %s, public: %s", (_form, address, isPublic) =>
    expect(isPublicAddress(address)).toBe(isPublic),
  );
});

describe("text that is not an address", () => {
  it.each([
    "",
    "localhost",
    "example.com",
    "127.1",
    "0x7f.0.0.1",
    "1.2.3",
    "fe80::1%eth0",
    "2600::1%1",
    "[::1]",
    "8.8.8.8/8",
    "8.8.8.8 ",
  ])("is not public: %j", (text) => expect(isPublicAddress(text)).toBe(false));
});

describe("checkAddress", () => {
  const check = (entries: string, address: string, port: number, hostname = "site.example.com"): string =>
    checkAddress({
      address,
      port,
      hostname,
      policy: { allow: parseTargetList(entries), ownHostnames: ["9.9.9.9"] },
    });

  it.each([
    ["", "8.8.8.8", 443, "ok"],
    ["", "8.8.8.8", 25, "blocked"],
    ["", "9.9.9.9", 443, "blocked"],
    ["9.9.9.9", "9.9.9.9", 443, "ok"],
    ["10.0.0.0/8:8080", "10.1.2.3", 8080, "ok"],
    ["10.0.0.0/8:8080", "10.1.2.3", 8081, "blocked"],
    ["10.0.0.0/8:8080", "8.8.8.8", 443, "ok"],
    ["site.example.com", "169.254.169.254", 80, "ok"],
    ["site.example.com", "169.254.169.254", 22, "blocked"],
    ["other.example.com", "169.254.169.254", 80, "blocked"],
  ])("decides, with the allowlist %j, that %s:%i is %s", (entries, address, port, verdict) =>
    expect(check(entries, address, port)).toBe(verdict),
  );
});

it("treats an IPv4 address like its mapped and NAT64 forms", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const isPublic = isPublicAddress(address);
      expect([isPublicAddress(`::ffff:${address}`), isPublicAddress(`64:ff9b::${address}`)]).toEqual([
        isPublic,
        isPublic,
      ]);
    }),
  );
});

it("allows no IPv6 address outside 2000::/3 except mapped and NAT64 ones", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
      if (!isPublicAddress(address)) return;
      expect(canonical).toMatch(/^(?:[23][0-9a-f]{3}:|::ffff:[0-9a-f]+:[0-9a-f]+$|64:ff9b::)/);
    }),
  );
});
