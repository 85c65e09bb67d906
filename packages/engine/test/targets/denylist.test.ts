import { describe, expect, it } from "vitest";
import { checkAddress, checkHost, classifyTarget } from "../../src/targets/target.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

const policy: TargetPolicy = {
  allow: parseTargetList("10.0.0.0/8, wiki.internal, 10.0.0.5:22"),
  deny: parseTargetList(
    "bad.example, 10.1.0.0/16, 8.8.8.8, 9.9.9.0/24:8080, 2600:1f00::/24, wiki.internal:8443, bücher.example",
  ),
  ownHostnames: [],
  ownAddresses: () => [],
};

const classify = (url: string): string => classifyTarget(url, policy);

describe("the denylist, before name resolution,", () => {
  it.each([
    ["http://bad.example/", "blocked"],
    ["https://BAD.example./", "blocked"],
    ["https://cdn.static.bad.example:8443/", "blocked"],
    ["https://xn--bcher-kva.example/", "blocked"],
    ["https://notbad.example/", "ok"],
    ["https://bad.example.com/", "ok"],
    ["http://8.8.8.8/", "blocked"],
    ["http://0x08080808/", "blocked"],
    ["http://[::ffff:808:808]/", "blocked"],
    ["http://[64:ff9b::808:808]/", "blocked"],
    ["http://8.8.4.4/", "ok"],
    ["http://9.9.9.9/", "ok"],
    ["http://9.9.9.9:8080/", "blocked"],
    ["http://[2600:1f00::1]/", "blocked"],
    ["http://[2600:2000::1]/", "ok"],
  ])("decides that %s is %s", (url, verdict) => expect(classify(url)).toBe(verdict));
});

describe("the denylist", () => {
  it("wins over the allowlist, for every port if an entry names none", () => {
    expect(classify("http://10.1.2.3/")).toBe("blocked");
    expect(classify("http://10.2.2.3/")).toBe("ok");
    expect(classify("http://wiki.internal/")).toBe("ok");
    expect(classify("https://wiki.internal:8443/")).toBe("blocked");
    expect(checkHost({ hostname: "10.0.0.5", port: 22, policy })).toBe("ok");
    const denied = { ...policy, deny: parseTargetList("10.0.0.5") };
    expect(checkHost({ hostname: "10.0.0.5", port: 22, policy: denied })).toBe("blocked");
  });

  it("applies to the addresses that a name resolves to, even if the name is allowed", () => {
    for (const address of ["8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "10.1.0.1"])
      for (const hostname of ["page.example", "wiki.internal"])
        expect(checkAddress({ address, hostname, port: 443, policy })).toBe("blocked");
    expect(checkAddress({ address: "10.2.0.1", hostname: "wiki.internal", port: 443, policy })).toBe("ok");
  });
});
