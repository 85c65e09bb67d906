import { describe, expect, it } from "vitest";
import { parseTargetList } from "../../src/targets/target-list.ts";

const name = (hostname: string, port: number | null = null): object => ({ kind: "name", hostname, port });
const cidr = (address: string, prefixLength: number, port: number | null = null): object => ({
  kind: "cidr",
  address,
  prefixLength,
  port,
});

describe("valid entries", () => {
  it.each([
    ["localhost", name("localhost")],
    ["localhost:3000", name("localhost", 3000)],
    ["Wiki.Example.COM.", name("wiki.example.com")],
    ["bücher.example:8080", name("xn--bcher-kva.example", 8080)],
    ["my_db.internal:22", name("my_db.internal", 22)],
    ["127.0.0.1", cidr("127.0.0.1", 32)],
    ["127.0.0.1:3000", cidr("127.0.0.1", 32, 3000)],
    ["10.0.0.0/8", cidr("10.0.0.0", 8)],
    ["10.0.0.0/8:8080", cidr("10.0.0.0", 8, 8080)],
    ["0.0.0.0/0", cidr("0.0.0.0", 0)],
    ["::1", cidr("::1", 128)],
    ["fd00::/8", cidr("fd00::", 8)],
    ["fd00::1:3000", cidr("fd00::1:3000", 128)],
    ["[::1]", cidr("::1", 128)],
    ["[::1]:3000", cidr("::1", 128, 3000)],
    ["[fd00::/8]:3000", cidr("fd00::", 8, 3000)],
    ["::ffff:10.0.0.0/104", cidr("::ffff:10.0.0.0", 104)],
  ])("are parsed: %s", (text, entry) => expect(parseTargetList(text)).toEqual([entry]));

  it("are separated by commas; spaces and empty entries are ignored", () => {
    expect(parseTargetList(" localhost:3000 ,10.0.0.0/8,, ")).toEqual([
      name("localhost", 3000),
      cidr("10.0.0.0", 8),
    ]);
    expect(parseTargetList("")).toEqual([]);
  });

  it("are required in a list that is not empty", () => {
    expect(() => parseTargetList(",")).toThrow('"," contains no hosts or blocks');
  });
});

describe("invalid entries", () => {
  it.each([
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0/8",
    "::/129",
    "::ffff:0:0/90",
    "127.1",
    "0x7f000001",
    "256.1.1.1",
    "fe80::1%eth0",
    "[::1]:",
    "[::1",
    "[10.0.0.1]:80",
    "localhost:",
    "localhost:http",
    ":3000",
    "*.example.com",
    "http://localhost:3000",
    "localhost/path",
    "user@localhost",
    "a..b",
    "two words",
    "localhost:123456",
  ])("are rejected: %j", (entry) => {
    expect(() => parseTargetList(`example.com,${entry}`)).toThrow(
      `"${entry}" is not a host name, address or CIDR block with an optional port; use a form like intranet.example`,
    );
  });

  it.each(["localhost:0", "localhost:65536", "[::1]:0"])("are rejected for their port: %j", (entry) => {
    expect(() => parseTargetList(entry)).toThrow(
      new RangeError(`"${entry}": the port must be from 1 to 65535`),
    );
  });
});
