import { expect, it } from "vitest";
import { openNameServer } from "../../testing/test/servers/name-server.ts";
import { readConfig } from "../src/config.ts";
import { resolverOf } from "../src/wire.ts";

it("the servers in SNAP_DNS_SERVERS are queried only once for a name, even by several parts of the service", async () => {
  const server = await openNameServer(() => ["192.0.2.1"]);
  const { config } = readConfig({ SNAP_DNS_SERVERS: server.address });
  await resolverOf(config).resolve("page.example.com");
  const { length } = server.questions;
  expect(await resolverOf(config).resolve("page.example.com")).toEqual(["192.0.2.1"]);
  expect(server.questions).toHaveLength(length);
  server.close();
});

it("the servers in SNAP_DNS_SERVERS are not queried for the names of the service's own databases", async () => {
  const server = await openNameServer(() => ["192.0.2.1"]);
  const { config } = readConfig({
    SNAP_DNS_SERVERS: server.address,
    SNAP_DATABASE_URL: "postgres://db.example.com/snap",
    SNAP_REDIS_URL: "redis://cache.example.com",
    SNAP_SECRET_KEY: "a key for these tests",
  });
  const resolver = resolverOf(config);
  const lookup = new AbortController();
  const own = resolver.resolve("db.example.com", lookup).catch(() => []);
  expect(await resolver.resolve("page.example.com")).toEqual(["192.0.2.1"]);
  lookup.abort();
  await own;
  expect(server.questions.join()).not.toContain("db.example.com");
  server.close();
});
