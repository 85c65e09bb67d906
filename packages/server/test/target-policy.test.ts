import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryDirectory } from "../../testing/test/servers/temporary-directory.ts";
import { readConfig } from "../src/config.ts";
import { servicePolicy, targetPolicy } from "../src/target-policy.ts";

const shared = {
  SNAP_DATABASE_URL: "postgres://snap:secret@db.internal/snap",
  SNAP_REDIS_URL: "rediss://:secret@[fd00::9]:6380",
  SNAP_SECRET_KEY: "0123456789abcdef",
};

it("blocks the service's databases, including on their default ports", () => {
  expect(targetPolicy(readConfig(shared).config)).toMatchObject({
    ownHostnames: [],
    ownPorts: [
      { hostname: "db.internal", port: 5432 },
      { hostname: "[fd00::9]", port: 6380 },
    ],
  });
  const { config } = readConfig({ ...shared, SNAP_REDIS_URL: "redis://cache.internal" });
  expect(targetPolicy(config).ownPorts?.[1]).toEqual({ hostname: "cache.internal", port: 6379 });
});

it("blocks object stores on private addresses", async () => {
  const directory = await createTemporaryDirectory();
  const file = join(directory, "stores.json");
  const store = { region: "auto", bucket: "renderings", accessKeyId: "a", secretAccessKeyFile: "key" };
  writeFileSync(join(directory, "key"), "secret\n");
  const stores = {
    minio: { ...store, endpoint: "http://minio:9000" },
    r2: { ...store, endpoint: "https://account.r2.cloudflarestorage.com", addressing: "virtual" },
  };
  writeFileSync(file, JSON.stringify(stores));
  const { config } = readConfig({ SNAP_STORES_FILE: file });
  expect(config.stores.map(({ secretAccessKey }) => secretAccessKey)).toEqual(["secret", "secret"]);
  expect(targetPolicy(config).ownPorts).toEqual([
    { hostname: "minio", port: 9000, isShared: true },
    { hostname: "renderings.account.r2.cloudflarestorage.com", port: 443, isShared: true },
  ]);
});

it("blocks the service's own host name and port", () => {
  const { config } = readConfig({
    SNAP_HOST: "0.0.0.0",
    SNAP_PORT: "8080",
    SNAP_PUBLIC_URL: "https://snap.example.com",
  });
  const policy = servicePolicy(config);
  expect(policy.ownHostnames).toEqual(["snap.example.com"]);
  expect(policy.ownPorts).toEqual([{ hostname: "0.0.0.0", port: 8080 }]);
});

it("allows and denies what the configuration lists, and allows additional targets", () => {
  const { config } = readConfig({ SNAP_ALLOW_TARGETS: "10.0.0.0/8", SNAP_DENY_TARGETS: "ads.example" });
  const demo = { kind: "name", hostname: "demo.internal", port: 3001 } as const;
  expect(targetPolicy(config, [demo])).toMatchObject({
    allow: [{ address: "10.0.0.0" }, demo],
    deny: [{ hostname: "ads.example" }],
  });
});
