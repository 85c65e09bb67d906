import { expect, it } from "vitest";
import { checkAddress, checkHost } from "../../src/targets/target.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

const policy: TargetPolicy = {
  allow: parseTargetList("0.0.0.0/0, ::/0, browser.example:9222, localhost:9222, page.example:9222"),
  ownHostnames: [],
  alwaysBlocked: [
    { hostname: "127.0.0.1", port: 9222 },
    { hostname: "10.0.0.7", port: 9222 },
    { hostname: "[fd00::7]", port: 9222 },
    { hostname: "browser.example", port: 9222 },
  ],
};

it.each(["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "10.0.0.7", "fd00::7"])(
  "blocks an always-blocked port on %s by address and by name, even if the allowlist covers it",
  (address) => {
    expect(checkHost({ hostname: address, port: 9222, policy })).toBe("blocked");
    expect(checkAddress({ address, hostname: "page.example", port: 9222, policy })).toBe("blocked");
    expect(checkAddress({ address, hostname: "page.example", port: 9223, policy })).toBe("ok");
  },
);

it("blocks an always-blocked name before name resolution, and only on that port", () => {
  expect(checkHost({ hostname: "browser.example", port: 9222, policy })).toBe("blocked");
  expect(checkHost({ hostname: "page.example", port: 9222, policy })).toBe("ok");
  expect(checkHost({ hostname: "browser.example", port: 443, policy })).toBe("ok");
});

it.each(["127.0.0.1", "::1"])(
  "blocks an always-blocked port on localhost once it resolves to %s, even if the allowlist names it",
  (address) => {
    expect(checkHost({ hostname: "localhost", port: 9222, policy })).toBe("ok");
    expect(checkAddress({ address, hostname: "localhost", port: 9222, policy })).toBe("blocked");
  },
);

it("allows the same port on other addresses", () => {
  expect(checkAddress({ address: "10.0.0.8", hostname: "10.0.0.8", port: 9222, policy })).toBe("ok");
});
