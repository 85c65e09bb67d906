import { describe, expect, it } from "vitest";
import { resolveHost } from "../../src/egress/resolve.ts";
import type { Resolver } from "../../src/ports/resolver.ts";
import { checkAddress, checkHost } from "../../src/targets/target.ts";
import type { TargetPolicy } from "../../src/targets/policy.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

const policyOf = (allow: string): TargetPolicy => ({
  allow: parseTargetList(allow),
  ownHostnames: [],
  ownAddresses: () => ["127.0.0.1", "10.0.0.5", "93.184.215.14"],
  ownPorts: [
    { hostname: "0.0.0.0", port: 3000 },
    { hostname: "db.internal", port: 5432 },
    { hostname: "10.0.0.9", port: 6379 },
  ],
});

const wide = policyOf("127.0.0.0/8, ::1, 10.0.0.0/8, 93.184.215.14, db.internal");

describe("an endpoint of the service itself", () => {
  it.each([
    ["127.0.0.1", 3000, "blocked"],
    ["127.1.2.3", 3000, "blocked"],
    ["::1", 3000, "blocked"],
    ["10.0.0.5", 3000, "blocked"],
    ["93.184.215.14", 3000, "blocked"],
    ["64:ff9b::5db8:d70e", 3000, "blocked"],
    ["10.0.0.6", 3000, "ok"],
    ["127.0.0.1", 3001, "ok"],
    ["db.internal", 5432, "blocked"],
    ["db.internal", 8080, "ok"],
    ["10.0.0.9", 6379, "blocked"],
    ["10.0.0.10", 6379, "ok"],
  ])("is recognized even if the allowlist covers it: %s port %i is %s", (hostname, port, verdict) => {
    expect(checkHost({ hostname, port, policy: wide })).toBe(verdict);
  });

  it("is blocked for every name that resolves to it", () => {
    const target = { hostname: "page.example", policy: wide };
    expect(checkAddress({ ...target, address: "127.0.0.1", port: 3000 })).toBe("blocked");
    expect(checkAddress({ ...target, address: "10.0.0.9", port: 6379 })).toBe("blocked");
  });

  it("is allowed if an allowlist entry names its port", () => {
    const open = policyOf("127.0.0.0/8:3000, db.internal:5432, 10.0.0.9:6379");
    expect(checkHost({ hostname: "127.0.0.1", port: 3000, policy: open })).toBe("ok");
    expect(checkHost({ hostname: "10.0.0.5", port: 3000, policy: open })).toBe("blocked");
    expect(checkHost({ hostname: "db.internal", port: 5432, policy: open })).toBe("ok");
    expect(checkHost({ hostname: "10.0.0.9", port: 6379, policy: open })).toBe("ok");
  });
});

describe("an endpoint that the service knows by name", () => {
  const resolved = async (
    hostname: string,
    port: number,
    { database = ["10.0.0.9"], policy = wide } = {},
  ): Promise<unknown> => {
    const resolver: Resolver = {
      resolve: async (name) => (name === "db.internal" ? database : ["10.0.0.9", "10.0.0.10"]),
    };
    const outcome = await resolveHost({ hostname, port, policy, resolver });
    return "failure" in outcome ? outcome.failure : outcome.addresses;
  };

  it("is also blocked by its address, as resolved at that moment", async () => {
    expect(await resolved("10.0.0.9", 5432)).toBe("blocked");
    expect(await resolved("alias.example", 5432)).toBe("blocked");
    expect(await resolved("10.0.0.9", 8080)).toEqual(["10.0.0.9"]);
    expect(await resolved("10.0.0.10", 5432)).toEqual(["10.0.0.10"]);
    const moved = { database: ["10.0.0.10"] };
    expect(await resolved("10.0.0.9", 5432, moved)).toEqual(["10.0.0.9"]);
    expect(await resolved("10.0.0.10", 5432, moved)).toBe("blocked");
  });

  it("makes lookups fail while the resolver fails for its name, unless the address is blocked anyway", async () => {
    const error = Object.assign(new Error("query failed"), { code: "ESERVFAIL" });
    const request = { port: 5432, policy: wide, resolver: { resolve: async () => Promise.reject(error) } };
    expect(await resolveHost({ ...request, hostname: "10.0.0.10" })).toEqual({
      failure: "resolver-failed",
      detail: "query failed",
    });
    const policy = {
      ...wide,
      ownPorts: [...(wide.ownPorts ?? []), { hostname: "replica.internal", port: 5432 }],
    };
    const oneFails: Resolver = {
      resolve: async (name) => (name === "db.internal" ? ["10.0.0.10"] : Promise.reject(error)),
    };
    const outcome = await resolveHost({ ...request, policy, resolver: oneFails, hostname: "10.0.0.10" });
    expect(outcome).toEqual({ failure: "blocked" });
  });

  it("blocks its port everywhere while its name does not resolve", async () => {
    const policy = policyOf("10.0.0.11:5432");
    expect(await resolved("10.0.0.11", 5432, { database: [] })).toBe("blocked");
    expect(await resolved("10.0.0.11", 5432, { database: [], policy })).toEqual(["10.0.0.11"]);
  });
});

describe("an endpoint that other sites also use, such as cloud object storage,", () => {
  const policy: TargetPolicy = {
    allow: parseTargetList("10.0.0.0/8"),
    ownHostnames: [],
    ownPorts: [
      { hostname: "s3.example.com", port: 443, isShared: true },
      { hostname: "minio.example.com", port: 9000, isShared: true },
      { hostname: "10.0.0.8", port: 9000, isShared: true },
    ],
  };
  let lookups: string[] = [];
  const resolver: Resolver = {
    async resolve(name) {
      lookups.push(name);
      return name === "s3.example.com" ? ["93.184.215.20"] : ["10.0.0.9"];
    },
  };
  const resolved = async (hostname: string, port: number): Promise<unknown> => {
    lookups = [];
    const outcome = await resolveHost({ hostname, port, policy, resolver });
    return "failure" in outcome ? outcome.failure : "ok";
  };

  it("is allowed on a public address, without another lookup", async () => {
    expect(await resolved("s3.example.com", 443)).toBe("ok");
    expect(await resolved("93.184.215.20", 443)).toBe("ok");
    expect(lookups).toEqual([]);
  });

  it("is blocked on a private address, even if the allowlist covers it", async () => {
    expect(await resolved("minio.example.com", 9000)).toBe("blocked");
    expect(await resolved("page.example.com", 9000)).toBe("blocked");
    expect(await resolved("10.0.0.9", 9000)).toBe("blocked");
    expect(await resolved("10.0.0.8", 9000)).toBe("blocked");
    expect(await resolved("10.0.0.7", 9000)).toBe("ok");
  });
});
