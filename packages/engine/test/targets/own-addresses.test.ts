import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { createOwnAddresses, systemAddresses } from "../../src/ports/own-addresses.ts";
import { checkAddress, classifyTarget } from "../../src/targets/target.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

const policyOf = (own: readonly string[], allow = ""): TargetPolicy => ({
  allow: parseTargetList(allow),
  ownHostnames: [],
  ownAddresses: () => own,
});

describe("a public address of this machine", () => {
  const policy = policyOf(["127.0.0.1", "93.184.215.14", "2606:2800:21f::1"]);

  it.each([
    ["http://93.184.215.14/", "blocked"],
    ["http://93.184.215.14:8080/", "blocked"],
    ["http://0x5db8d70e/", "blocked"],
    ["http://[::ffff:5db8:d70e]/", "blocked"],
    ["http://[64:ff9b::5db8:d70e]/", "blocked"],
    ["http://[2606:2800:21f:0:0::1]/", "blocked"],
    ["http://93.184.215.15/", "ok"],
    ["http://[2606:2800:21f::2]/", "ok"],
  ])("is recognized: %s is %s", (url, verdict) => expect(classifyTarget(url, policy)).toBe(verdict));

  it("is blocked for every name that resolves to it", () => {
    const target = { hostname: "page.example", port: 443, policy };
    expect(checkAddress({ ...target, address: "93.184.215.14" })).toBe("blocked");
    expect(checkAddress({ ...target, address: "2606:2800:21f::1" })).toBe("blocked");
    expect(checkAddress({ ...target, address: "93.184.215.15" })).toBe("ok");
  });

  it("is allowed if the allowlist covers its address or a name", () => {
    const url = "http://93.184.215.14:8080/";
    for (const allow of ["93.184.215.14", "93.184.215.14:8080", "93.184.0.0/16"])
      expect(classifyTarget(url, policyOf(["93.184.215.14"], allow))).toBe("ok");
    for (const allow of ["93.184.215.14:9090", "93.184.215.15"])
      expect(classifyTarget(url, policyOf(["93.184.215.14"], allow))).toBe("blocked");
    const named = policyOf(["93.184.215.14"], "intranet.example");
    expect(
      checkAddress({ address: "93.184.215.14", hostname: "intranet.example", port: 80, policy: named }),
    ).toBe("ok");
  });
});

describe("the addresses of this machine", () => {
  it("are those of its network interfaces", () => {
    const expected = Object.values(networkInterfaces()).flatMap((list = []) =>
      list.map((one) => one.address),
    );
    expect(expected).toContain("127.0.0.1");
    expect(systemAddresses()).toEqual(expected);
  });

  it("are not read again until a second has passed", () => {
    let nowMs = 0;
    let reads = 0;
    const lists = [["127.0.0.1"], ["127.0.0.1", "93.184.215.14"]];
    const addresses = createOwnAddresses(
      () => lists[reads++] ?? [],
      () => nowMs,
    );
    expect(addresses()).toEqual(["127.0.0.1"]);
    nowMs = 999;
    expect(addresses()).toBe(addresses());
    expect(reads).toBe(1);
    nowMs = 1000;
    expect(addresses()).toEqual(["127.0.0.1", "93.184.215.14"]);
    expect(reads).toBe(2);
  });
});
