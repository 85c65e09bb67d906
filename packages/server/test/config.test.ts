import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError, publicUrlOf, readConfig, type Environment } from "../src/config.ts";

const directory = mkdtempSync(join(tmpdir(), "snap-config-"));
const previous = process.cwd();
beforeAll(() => process.chdir(directory));
afterAll(() => {
  process.chdir(previous);
  rmSync(directory, { recursive: true });
});

function mistakesOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

let files = 0;

/**
 * Writes a file. Returns its path relative to the working directory, so titles do not depend on the
 * machine.
 */
function writeNext(content: string): string {
  files += 1;
  const name = `${files}.json`;
  writeFileSync(join(directory, name), content);
  return name;
}

/** A file with one store; `undefined` removes a field. */
function writeStoreFile(change: Readonly<Record<string, unknown>> = {}): string {
  const store = {
    endpoint: "https://s3.eu-central-1.amazonaws.com",
    region: "eu-central-1",
    bucket: "example-renderings",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "hunter2",
    ...change,
  };
  return writeNext(JSON.stringify({ archive: store }));
}

describe("readConfig without variables", () => {
  it("returns the defaults", () => {
    const { config, warnings } = readConfig({ PATH: "/usr/bin", HOME: "/root" });
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      host: "127.0.0.1",
      port: 3000,
      publicUrl: null,
      trustProxy: null,
      dataDir: resolve("data"),
      shared: null,
      redisOptional: false,
      cacheMaxBytes: null,
      diskReserveBytes: 268_435_456,
      role: "all",
      console: null,
      adminToken: null,
      adminUrl: null,
      historyRetentionMs: 604_800_000,
      secretKey: null,
      ownToken: null,
      chromiumPath: null,
      sandbox: "on",
      browserEndpoints: [],
      browserProxyHost: null,
      browserEgress: "proxy",
      renderConcurrency: null,
      renderTimeoutMs: 45_000,
      navigationTimeoutMs: 30_000,
      maxRenderingBytes: 67_108_864,
      pageMemoryBytes: null,
      pageCpuSeconds: 20,
      isolation: "shared",
      allowTargets: [],
      denyTargets: [],
      filterLists: [],
      stores: [],
      objectStore: null,
      nameServers: null,
      userAgent: null,
      upstreamProxy: null,
      noProxy: "",
      upstreamProxyDns: "local",
      plans: [
        { slug: "starter", name: "Starter", creditsPerPeriod: 1_000, requestsPerMinute: 20 },
        { slug: "growth", name: "Growth", creditsPerPeriod: 10_000, requestsPerMinute: 60 },
        { slug: "scale", name: "Scale", creditsPerPeriod: 100_000, requestsPerMinute: 300 },
      ],
      webhookRetryDelaysMs: null,
      batchRetentionMs: 604_800_000,
      journalRetentionMs: 34_560_000_000,
      batchRetryWindowMs: 900_000,
      drainDelayMs: 0,
      logLevel: "info",
      metrics: false,
    });
  });

  it("treats an empty variable as unset", () => {
    const empty = { SNAP_PORT: "", SNAP_SECRET_KEY: "", SNAP_DATABASE_URL: "", SNAP_WEBHOOK_SCHEDULE: "" };
    expect(readConfig(empty)).toEqual(readConfig({}));
  });
});

describe("readConfig with one variable", () => {
  const plans = '[{"slug":"team","name":"Team","creditsPerPeriod":500,"requestsPerMinute":30}]';

  it.each<[Environment, Record<string, unknown>]>([
    [{ SNAP_HOST: "0.0.0.0" }, { host: "0.0.0.0" }],
    [{ SNAP_HOST: "::1" }, { host: "::1" }],
    [{ SNAP_HOST: "localhost" }, { host: "localhost" }],
    [{ SNAP_HOST: "snap_api" }, { host: "snap_api" }],
    [{ SNAP_HOST: "fe80::1%eth0" }, { host: "fe80::1%eth0" }],
    [{ SNAP_PORT: "0" }, { port: 0 }],
    [{ SNAP_PORT: "65535" }, { port: 65_535 }],
    [{ SNAP_PUBLIC_URL: "https://snap.example.com/" }, { publicUrl: "https://snap.example.com" }],
    [{ SNAP_PUBLIC_URL: "http://10.1.2.3:8080" }, { publicUrl: "http://10.1.2.3:8080" }],
    [{ SNAP_DATA_DIR: "/var/lib/snap" }, { dataDir: "/var/lib/snap" }],
    [{ SNAP_ROLE: "all" }, {}],
    [{ SNAP_SECRET_KEY: "0123456789abcdef" }, { secretKey: "0123456789abcdef" }],
    [{ SNAP_TOKEN: `aZ09-._~+/=${"x".repeat(21)}` }, { ownToken: `aZ09-._~+/=${"x".repeat(21)}` }],
    [{ SNAP_TOKEN: `7|${"abcdefgh".repeat(16)}` }, { ownToken: `7|${"abcdefgh".repeat(16)}` }],
    [{ SNAP_CHROMIUM_PATH: "/usr/bin/chromium" }, { chromiumPath: "/usr/bin/chromium" }],
    [{ SNAP_SANDBOX: "off" }, { sandbox: "off" }],
    [{}, { browserEndpoints: [], browserProxyHost: null, browserEgress: "proxy" }],
    [
      { SNAP_BROWSER_URL: "ws://127.0.0.1:9222/devtools/browser/1, http://localhost:9223" },
      {
        browserEndpoints: [
          { origin: "ws://127.0.0.1:9222", isLoopback: true },
          { origin: "http://localhost:9223", isLoopback: true },
        ],
      },
    ],
    [
      { SNAP_BROWSER_URL: "wss://browsers.example/?token=1", SNAP_BROWSER_PROXY_HOST: "snap-1" },
      { browserEndpoints: [{ origin: "wss://browsers.example" }], browserProxyHost: "snap-1" },
    ],
    [
      { SNAP_BROWSER_URL: "https://browsers.example", SNAP_BROWSER_EGRESS: "direct" },
      { browserEndpoints: [{ isLoopback: false }], browserEgress: "direct" },
    ],
    [
      { SNAP_USER_AGENT: "ExampleBot/1.0 (+https://example.com/bot)" },
      { userAgent: "ExampleBot/1.0 (+https://example.com/bot)" },
    ],
    [
      {
        SNAP_UPSTREAM_PROXY: "http://ada:s%40cret@proxy.example:3128",
        SNAP_NO_PROXY: ".example.com, *.corp.example,10.0.0.0/8",
        SNAP_UPSTREAM_PROXY_DNS: "proxy",
      },
      {
        upstreamProxy: "http://ada:s%40cret@proxy.example:3128",
        noProxy: ".example.com, *.corp.example,10.0.0.0/8",
        upstreamProxyDns: "proxy",
      },
    ],
    [{ SNAP_TRUST_PROXY: "1" }, { trustProxy: 1 }],
    [
      { SNAP_TRUST_PROXY: "::ffff:10.0.0.5,fe80::1%eth0" },
      { trustProxy: ["::ffff:10.0.0.5", "fe80::1%eth0"] },
    ],
    [{ SNAP_TRUST_PROXY: "loopback" }, { trustProxy: ["loopback"] }],
    [
      { SNAP_TRUST_PROXY: "10.0.0.5, 192.168.0.0/16,fd00::/8" },
      { trustProxy: ["10.0.0.5", "192.168.0.0/16", "fd00::/8"] },
    ],
    [{ SNAP_RENDER_CONCURRENCY: "3" }, { renderConcurrency: 3 }],
    [{ SNAP_RENDER_TIMEOUT_MS: "60000" }, { renderTimeoutMs: 60_000, navigationTimeoutMs: 30_000 }],
    [{ SNAP_RENDER_TIMEOUT_MS: "20000" }, { renderTimeoutMs: 20_000, navigationTimeoutMs: 20_000 }],
    [{ SNAP_NAVIGATION_TIMEOUT_MS: "45000" }, { navigationTimeoutMs: 45_000 }],
    [{ SNAP_PAGE_MEMORY_BYTES: "1073741824" }, { pageMemoryBytes: 1_073_741_824 }],
    [{ SNAP_PAGE_CPU_SECONDS: "60" }, { pageCpuSeconds: 60 }],
    [{ SNAP_ISOLATION: "account" }, { isolation: "account" }],
    [
      { SNAP_ALLOW_TARGETS: "10.0.0.0/8, wiki.example:8080" },
      {
        allowTargets: [
          { kind: "cidr", address: "10.0.0.0", prefixLength: 8, port: null },
          { kind: "name", hostname: "wiki.example", port: 8080 },
        ],
      },
    ],
    [
      { SNAP_DENY_TARGETS: "[2600:1f00::/24]:443,ads.example" },
      {
        denyTargets: [
          { kind: "cidr", address: "2600:1f00::", prefixLength: 24, port: 443 },
          { kind: "name", hostname: "ads.example", port: null },
        ],
      },
    ],
    [
      { SNAP_DNS_SERVERS: "10.0.0.53, 127.0.0.1:5353,fd00::53,[fd00::53]:5353" },
      { nameServers: ["10.0.0.53", "127.0.0.1:5353", "fd00::53", "[fd00::53]:5353"] },
    ],
    [
      { SNAP_PLANS_FILE: writeNext(plans) },
      { plans: [{ slug: "team", name: "Team", creditsPerPeriod: 500, requestsPerMinute: 30 }] },
    ],
    [
      {
        SNAP_STORES_FILE: writeStoreFile({
          prefix: "snap/2026",
          accounts: ["acct_1"],
          addressing: "virtual",
        }),
      },
      {
        stores: [
          {
            name: "archive",
            endpoint: "https://s3.eu-central-1.amazonaws.com",
            region: "eu-central-1",
            bucket: "example-renderings",
            prefix: "snap/2026",
            accessKeyId: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "hunter2",
            addressing: "virtual",
            accounts: ["acct_1"],
          },
        ],
      },
    ],
    [{ SNAP_OBJECT_STORE: "archive", SNAP_STORES_FILE: writeStoreFile({}) }, { objectStore: "archive" }],
    [{ SNAP_WEBHOOK_SCHEDULE: "5s,5m,2h" }, { webhookRetryDelaysMs: [5_000, 300_000, 7_200_000] }],
    [{ SNAP_WEBHOOK_SCHEDULE: "0s, 100ms, 1d" }, { webhookRetryDelaysMs: [100, 86_400_000] }],
    [{ SNAP_WEBHOOK_SCHEDULE: "0s" }, { webhookRetryDelaysMs: [] }],
    [
      { SNAP_WEBHOOK_SCHEDULE: Array.from({ length: 20 }, () => "1s").join() },
      { webhookRetryDelaysMs: Array.from({ length: 20 }, () => 1000) },
    ],
    [{ SNAP_BATCH_RETENTION: "500ms" }, { batchRetentionMs: 500 }],
    [{ SNAP_BATCH_RETENTION: "30d" }, { batchRetentionMs: 2_592_000_000 }],
    [{ SNAP_RETRY_WINDOW: "0s" }, { batchRetryWindowMs: 0 }],
    [{ SNAP_RETRY_WINDOW: "90s" }, { batchRetryWindowMs: 90_000 }],
    [{ SNAP_DRAIN_DELAY: "3s" }, { drainDelayMs: 3000 }],
    [{ SNAP_LOG_LEVEL: "silent" }, { logLevel: "silent" }],
    [{ SNAP_METRICS: "on" }, { metrics: true }],
    [{ SNAP_CACHE_MAX_BYTES: "0" }, { cacheMaxBytes: 0 }],
    [{ SNAP_CACHE_MAX_BYTES: "10737418240" }, { cacheMaxBytes: 10_737_418_240 }],
    [{ SNAP_DISK_RESERVE_BYTES: "0" }, { diskReserveBytes: 0 }],
  ])("reads %j", (environment, expected) => {
    const { config, warnings } = readConfig(environment);
    expect(config).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["SNAP_CACHE_MAX_BYTES", "10 GiB", "a whole number from 0 to 999999999999999"],
    ["SNAP_DISK_RESERVE_BYTES", "-1", "a whole number from 0 to 999999999999999"],
    ["SNAP_HOST", "http://127.0.0.1", "127.0.0.1, ::1, 0.0.0.0 or localhost"],
    ["SNAP_HOST", "127.0.0.1:3000", "127.0.0.1, ::1, 0.0.0.0 or localhost"],
    ["SNAP_HOST", "192.168.1.300", "127.0.0.1, ::1, 0.0.0.0 or localhost"],
    ["SNAP_HOST", "host.1", "127.0.0.1, ::1, 0.0.0.0 or localhost"],
    ["SNAP_PORT", "abc", "a whole number from 0 to 65535"],
    ["SNAP_PORT", "65536", "a whole number from 0 to 65535"],
    ["SNAP_PORT", "-1", "a whole number from 0 to 65535"],
    ["SNAP_PORT", " 3000", "a whole number from 0 to 65535"],
    ["SNAP_PUBLIC_URL", "snap.example.com", "an origin such as https://snap.example.com"],
    ["SNAP_PUBLIC_URL", "https://snap.example.com/v1", "without a path"],
    ["SNAP_PUBLIC_URL", "ftp://snap.example.com", "an origin"],
    ["SNAP_ROLE", "both", "one of all, api, worker"],
    ["SNAP_SANDBOX", "false", "one of on, off"],
    ["SNAP_RENDER_CONCURRENCY", "0", "a whole number from 1 to 256"],
    ["SNAP_RENDER_TIMEOUT_MS", "45s", "a whole number from 1000 to 600000"],
    ["SNAP_NAVIGATION_TIMEOUT_MS", "60000", "must not exceed SNAP_RENDER_TIMEOUT_MS (45000)"],
    ["SNAP_PAGE_MEMORY_BYTES", "2GB", "a whole number from 67108864 to 999999999999999"],
    ["SNAP_PAGE_CPU_SECONDS", "0", "a whole number from 1 to 3600"],
    ["SNAP_ISOLATION", "tenant", "one of shared, account"],
    ["SNAP_TRUST_PROXY", "0", "the number of proxies in front of the service (1 to 16)"],
    ["SNAP_TRUST_PROXY", "17", "the number of proxies in front of the service (1 to 16)"],
    ["SNAP_TRUST_PROXY", "true", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_TRUST_PROXY", "proxy.internal", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_TRUST_PROXY", "10.0.0.0/33", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_TRUST_PROXY", "0.0.0.0/0", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_TRUST_PROXY", "1,10.0.0.5", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_TRUST_PROXY", "64:ff9b::1.2.3.4", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_TRUST_PROXY", "fe80::1%br-1a2b", "loopback, 10.0.0.5 or 10.0.0.0/8,fd00::/8"],
    ["SNAP_ALLOW_TARGETS", "10.0.0.0/8,not a host", "10.0.0.0/8, 127.0.0.1:3000"],
    ["SNAP_USER_AGENT", "Snäp", "1 to 512 printable ASCII characters"],
    ["SNAP_NO_PROXY", "example.com", "also set SNAP_UPSTREAM_PROXY, or unset this one"],
    ["SNAP_UPSTREAM_PROXY_DNS", "proxy", "also set SNAP_UPSTREAM_PROXY, or unset this one"],
    ["SNAP_DENY_TARGETS", "*.example", "10.0.0.0/8, 127.0.0.1:3000"],
    ["SNAP_DENY_TARGETS", ",", '"," contains no hosts or blocks'],
    [
      "SNAP_DNS_SERVERS",
      "1.1.1.1,dns.example",
      '"dns.example" is not a valid name server address; use, for example, 10.0.0.53,',
    ],
    ["SNAP_DNS_SERVERS", "fe80::1%eth0", '"fe80::1%eth0" is not a valid name server address'],
    ["SNAP_DNS_SERVERS", "10.0.0.53,", '"" is not a valid name server address'],
    ["SNAP_DNS_SERVERS", "10.0.0.53:0", '"10.0.0.53:0" is not a valid name server address'],
    ["SNAP_DNS_SERVERS", "[10.0.0.53]:53", "use, for example, 10.0.0.53"],
    ["SNAP_DNS_SERVERS", "fd00::53:65536", "use, for example, 10.0.0.53"],
    ["SNAP_PLANS_FILE", "/nowhere/plans.json", "no such file"],
    ["SNAP_PLANS_FILE", writeNext("{"), "JSON"],
    ["SNAP_PLANS_FILE", writeNext('[{"slug":"Team"}]'), "0.slug"],
    ["SNAP_STORES_FILE", "/nowhere/stores.json", "no such file"],
    ["SNAP_STORES_FILE", writeNext('{"a":{"secretAccessKey":"geheim"},}'), "not valid JSON"],
    ["SNAP_STORES_FILE", writeNext("[]"), "must be an object with a store under each name"],
    ["SNAP_STORES_FILE", writeNext('{"a/b":{}}'), 'store "a/b": the name must be 1 to 63 lowercase'],
    [
      "SNAP_STORES_FILE",
      writeNext('{"__proto__":{}}'),
      'store "__proto__": the name must be 1 to 63 lowercase',
    ],
    ["SNAP_STORES_FILE", writeStoreFile({ bucket: "A" }), "store archive: bucket must be a bucket's name"],
    ["SNAP_STORES_FILE", writeStoreFile({ prefix: "/a" }), "store archive: prefix must be a path such as"],
    ["SNAP_STORES_FILE", writeStoreFile({ endpoint: "s3" }), "store archive: endpoint must be an origin"],
    ...["169.254.169.254", "[fe80::1]:9000", "[fd00:ec2::254]", "0xa9fea9fe"].map(
      (host): [string, string, string] => [
        "SNAP_STORES_FILE",
        writeStoreFile({ endpoint: `http://${host}` }),
        "store archive: endpoint must not be a link-local address or that of a cloud's metadata service",
      ],
    ),
    [
      "SNAP_STORES_FILE",
      writeStoreFile({ endpoint: "http://10.0.0.5:9000", addressing: "virtual" }),
      "store archive: addressing must be path, because the endpoint is an IP address",
    ],
    [
      "SNAP_STORES_FILE",
      writeStoreFile({ secretAccessKey: undefined, secretAccessKeyFile: writeNext("hunter2 ") }),
      "must be 1 to 200 printable ASCII characters without spaces",
    ],
    [
      "SNAP_STORES_FILE",
      writeStoreFile({ accounts: [] }),
      "store archive: accounts must contain at least one",
    ],
    [
      "SNAP_STORES_FILE",
      writeStoreFile({ secretAccessKeyFile: "archive.key" }),
      "store archive: must have either secretAccessKey or secretAccessKeyFile",
    ],
    [
      "SNAP_STORES_FILE",
      writeStoreFile({ secretAccessKey: undefined, secretAccessKeyFile: "nowhere.key" }),
      "nowhere.key must be the path of a readable file",
    ],
    ["SNAP_OBJECT_STORE", "archive", "names a store in SNAP_STORES_FILE; also set that, or unset this one"],
    ["SNAP_WEBHOOK_SCHEDULE", "5", "such as 5s,5m,30m,2h; use 0s alone for no retries"],
    ["SNAP_WEBHOOK_SCHEDULE", "5s,,5m", "such as 5s,5m,30m,2h"],
    ["SNAP_WEBHOOK_SCHEDULE", "5s,0s", "such as 5s,5m,30m,2h"],
    ["SNAP_WEBHOOK_SCHEDULE", "0s,0s", "such as 5s,5m,30m,2h"],
    ["SNAP_WEBHOOK_SCHEDULE", "1.5s", "such as 5s,5m,30m,2h"],
    ["SNAP_WEBHOOK_SCHEDULE", "-5s", "such as 5s,5m,30m,2h"],
    ["SNAP_WEBHOOK_SCHEDULE", "31d", "each up to 30d"],
    ["SNAP_WEBHOOK_SCHEDULE", Array.from({ length: 21 }, () => "1s").join(), "at most 20"],
    ["SNAP_BATCH_RETENTION", "7", "a duration from 1ms to 365d"],
    ["SNAP_BATCH_RETENTION", "0s", "a duration from 1ms to 365d"],
    ["SNAP_BATCH_RETENTION", "366d", "a duration from 1ms to 365d"],
    ["SNAP_BATCH_RETENTION", "7 days", "such as 90s or 7d"],
    ["SNAP_RETRY_WINDOW", "25h", "a duration from 0s to 1d"],
    ["SNAP_RETRY_WINDOW", "a while", "a duration from 0s to 1d"],
    ["SNAP_DRAIN_DELAY", "61s", "a duration from 0s to 60s"],
    ["SNAP_CONSOLE", "yes", "one of on, off"],
    ["SNAP_HISTORY", "30m", "a duration from 1h to 90d"],
    ["SNAP_HISTORY", "91d", "a duration from 1h to 90d"],
    ["SNAP_HISTORY", "none", "; or off"],
    ["SNAP_LOG_LEVEL", "loud", "one of trace, debug, info, warn, error, fatal, silent"],
    ["SNAP_METRICS", "yes", "one of on, off"],
    ["SNAP_LOG_LEVEL", "warning", "silent; did you mean warn?"],
  ])("reports the name, the value and the valid values of %s=%s", (name, value, remedy) => {
    const [mistake = "", ...more] = mistakesOf({ [name]: value });
    expect(more).toEqual([]);
    expect(mistake).toContain(`${name} is "${value}": `);
    expect(mistake).toContain(remedy);
  });

  it.each([
    ["SNAP_SECRET_KEY", "hunter2hunter2", "at least 16 characters"],
    ["SNAP_TOKEN", "hunter2".repeat(4), "random string of 32 to 128"],
    ["SNAP_TOKEN", "hunter2".repeat(5), "must be random: it has fewer than 8 different characters"],
    ["SNAP_TOKEN", `12345678|${"hunter2".repeat(5)}`, "use the output of `openssl rand -hex 24`"],
    ["SNAP_TOKEN", `hunter2 ${"x".repeat(40)}`, "openssl rand -hex 24"],
    ["SNAP_DATABASE_URL", "mysql://snap:hunter2@db/snap", "postgres:// or postgresql://"],
    ["SNAP_REDIS_URL", "hunter2@cache:6379", "redis:// or rediss://"],
    [
      "SNAP_BROWSER_URL",
      "browsers.example/hunter2",
      "address 1 is not a DevTools endpoint; use a form like ws://",
    ],
    ["SNAP_UPSTREAM_PROXY", "ada:hunter2@proxy.example:3128", "such as http://proxy.example:3128"],
    ["SNAP_UPSTREAM_PROXY", "http://ada:hunter2%@proxy.example", "encode % as %25"],
    ["SNAP_BROWSER_URL", "ws://localhost/hunter2,,", "address 2 is not a DevTools endpoint"],
    [
      "SNAP_BROWSER_URL",
      "ws://localhost/hunter2,ws://localhost:80/hunter2",
      "address 2 is the same as address 1",
    ],
    ["SNAP_BROWSER_URL", "wss://browsers.example/hunter2", "set SNAP_BROWSER_PROXY_HOST"],
  ])("reports %s without its value, which may contain a secret", (name, value, remedy) => {
    const [mistake = ""] = mistakesOf({ [name]: value });
    expect(mistake).toContain(`${name}: `);
    expect(mistake).toContain(remedy);
    expect(mistake).not.toContain("hunter2");
  });
});

describe("storage shared by several machines", () => {
  const SNAP_DATABASE_URL = "postgres://snap:hunter2@db.internal/snap";
  const SNAP_REDIS_URL = "rediss://:hunter2@cache.internal:6380";
  const SNAP_SECRET_KEY = "0123456789abcdef";

  it("is configured by both URLs and the key", () => {
    const { config } = readConfig({ SNAP_DATABASE_URL, SNAP_REDIS_URL, SNAP_SECRET_KEY });
    expect(config.shared).toEqual({ databaseUrl: SNAP_DATABASE_URL, redisUrl: SNAP_REDIS_URL });
  });

  it("ignores spaces around a URL, because the driver would treat them as part of a name", () => {
    const spaced = { SNAP_DATABASE_URL: ` ${SNAP_DATABASE_URL} `, SNAP_REDIS_URL: `${SNAP_REDIS_URL} ` };
    const { config } = readConfig({ ...spaced, SNAP_SECRET_KEY });
    expect(config.shared).toEqual({ databaseUrl: SNAP_DATABASE_URL, redisUrl: SNAP_REDIS_URL });
  });

  it("rejects a URL with the host or the port in its query, unless the host is a socket folder", () => {
    const secrets = { SNAP_REDIS_URL, SNAP_SECRET_KEY };
    for (const query of ["host=10.0.0.5", "port=6432"])
      expect(mistakesOf({ ...secrets, SNAP_DATABASE_URL: `${SNAP_DATABASE_URL}?${query}` })).toEqual([
        "SNAP_DATABASE_URL: must have the host and the port before the path, not in the query",
      ]);
    const url = `${SNAP_DATABASE_URL}?host=/run/postgresql&sslmode=disable`;
    expect(mistakesOf({ ...secrets, SNAP_DATABASE_URL: url })).toEqual([]);
  });

  it.each([
    [{ SNAP_DATABASE_URL, SNAP_SECRET_KEY }, "SNAP_REDIS_URL: must be set together with SNAP_DATABASE_URL"],
    [{ SNAP_REDIS_URL, SNAP_SECRET_KEY }, "SNAP_DATABASE_URL: must be set together with SNAP_REDIS_URL"],
    [{ SNAP_DATABASE_URL, SNAP_REDIS_URL }, "SNAP_SECRET_KEY: must be set together with SNAP_DATABASE_URL"],
  ])("is invalid if a variable is missing: $1", (environment, expected) => {
    const [mistake = "", ...more] = mistakesOf(environment);
    expect(more).toEqual([]);
    expect(mistake).toContain(expected);
    expect(mistake).not.toContain("hunter2");
  });
});

describe("SNAP_ROLE", () => {
  it.each(["all", "api"] as const)("accepts %s", (role) => {
    expect(readConfig({ SNAP_ROLE: role }).config.role).toBe(role);
  });

  it("causes a warning if it is api with a data folder, because nothing would render batches", () => {
    const shared = {
      SNAP_DATABASE_URL: "postgres://db/snap",
      SNAP_REDIS_URL: "redis://cache",
      SNAP_SECRET_KEY: "0123456789abcdef",
    };
    expect(readConfig({ ...shared, SNAP_ROLE: "api" }).warnings).toEqual([]);
    expect(readConfig({ SNAP_ROLE: "all" }).warnings).toEqual([]);
    expect(readConfig({ SNAP_ROLE: "api" }).warnings).toEqual([
      "SNAP_ROLE is api, but a data folder cannot have a separate worker, so batches are never rendered",
    ]);
  });

  it("requires SNAP_PUBLIC_URL for a worker", () => {
    expect(mistakesOf({ SNAP_ROLE: "worker" })).toEqual([
      "SNAP_PUBLIC_URL: must be set for a worker, because webhooks contain links to it",
    ]);
    const { config } = readConfig({ SNAP_ROLE: "worker", SNAP_PUBLIC_URL: "https://snap.example.com" });
    expect(config.role).toBe("worker");
  });
});

describe("readConfig with remote browsers", () => {
  const url = "wss://browsers.example/";

  it.each<[string, Environment]>([
    ["SNAP_BROWSER_PROXY_HOST", { SNAP_BROWSER_PROXY_HOST: "snap-1" }],
    ["SNAP_BROWSER_EGRESS", { SNAP_BROWSER_EGRESS: "direct" }],
    [
      "SNAP_BROWSER_PROXY_HOST",
      { SNAP_BROWSER_URL: url, SNAP_BROWSER_PROXY_HOST: "snap-1", SNAP_BROWSER_EGRESS: "direct" },
    ],
    ["SNAP_BROWSER_EGRESS", { SNAP_BROWSER_URL: "ws://127.0.0.1:9222/", SNAP_BROWSER_EGRESS: "open" }],
    ["SNAP_BROWSER_PROXY_HOST", { SNAP_BROWSER_URL: url, SNAP_BROWSER_PROXY_HOST: "http://snap-1" }],
    ["SNAP_BROWSER_PROXY_HOST", { SNAP_BROWSER_URL: url, SNAP_BROWSER_PROXY_HOST: "0.0.0.0" }],
    ["SNAP_BROWSER_PROXY_HOST", { SNAP_BROWSER_URL: url, SNAP_BROWSER_PROXY_HOST: "::" }],
    ["SNAP_BROWSER_PROXY_HOST", { SNAP_BROWSER_URL: url, SNAP_BROWSER_PROXY_HOST: "::ffff:0.0.0.0" }],
    ["SNAP_ISOLATION", { SNAP_BROWSER_URL: "ws://127.0.0.1:9222/", SNAP_ISOLATION: "account" }],
  ])("reports %s if it is invalid or contradicts another variable", (name, environment) => {
    expect(mistakesOf(environment)).toEqual([expect.stringContaining(name)]);
  });
});

describe("readConfig with an upstream proxy", () => {
  const SNAP_UPSTREAM_PROXY = "http://ada:hunter2@proxy.example:3128";

  it.each<[string, Environment]>([
    ["SNAP_NO_PROXY", { SNAP_NO_PROXY: "*" }],
    ["SNAP_NO_PROXY", { SNAP_NO_PROXY: "http://example.com" }],
    ["SNAP_UPSTREAM_PROXY_DNS", { SNAP_UPSTREAM_PROXY_DNS: "remote" }],
    ["SNAP_UPSTREAM_PROXY", { SNAP_BROWSER_URL: "ws://127.0.0.1:9222/", SNAP_BROWSER_EGRESS: "direct" }],
  ])("reports %s if it is invalid or contradicts another variable", (name, environment) => {
    const mistakes = mistakesOf({ SNAP_UPSTREAM_PROXY, ...environment });
    expect(mistakes).toEqual([expect.stringContaining(name)]);
    expect(mistakes.join()).not.toContain("hunter2");
  });
});

describe("the object store for cached renderings", () => {
  it.each([
    ["archiv", {}, "must be the name of a store in SNAP_STORES_FILE; did you mean archive?"],
    ["renderings", {}, "must be the name of a store in SNAP_STORES_FILE; use archive"],
    ["archive", null, "must be the name of a store in SNAP_STORES_FILE; it has none"],
    [
      "archive",
      { accounts: ["acct_1"] },
      "must be a store that is not limited to some accounts: it caches the renderings of all",
    ],
  ])("must exist and be open to all accounts: %s, store %j", (SNAP_OBJECT_STORE, store, remedy) => {
    const SNAP_STORES_FILE = store === null ? writeNext("{}") : writeStoreFile(store);
    const mistakes = mistakesOf({ SNAP_OBJECT_STORE, SNAP_STORES_FILE });
    expect(mistakes).toEqual([
      expect.stringContaining(`SNAP_OBJECT_STORE is "${SNAP_OBJECT_STORE}": ${remedy}`),
    ]);
  });

  it("is not checked if the stores file is invalid", () => {
    const mistakes = mistakesOf({
      SNAP_OBJECT_STORE: "archive",
      SNAP_STORES_FILE: writeStoreFile({ bucket: "A" }),
    });
    expect(mistakes).toEqual([expect.stringContaining("store archive: bucket must be")]);
  });
});

describe("the console and the admin API", () => {
  const SNAP_ADMIN_TOKEN = "0123456789abcdef";

  it.each<[Environment, Record<string, unknown>]>([
    [{ SNAP_CONSOLE: "on" }, { console: true }],
    [{ SNAP_CONSOLE: "off" }, { console: false }],
    [{ SNAP_ADMIN_TOKEN }, { adminToken: "0123456789abcdef" }],
    [{ SNAP_HISTORY: "off" }, { historyRetentionMs: null }],
    [{ SNAP_HISTORY: "1h" }, { historyRetentionMs: 3_600_000 }],
    [{ SNAP_HISTORY: "90d" }, { historyRetentionMs: 7_776_000_000 }],
    [
      { SNAP_ADMIN_URL: "https://snap.example.com/", SNAP_ADMIN_TOKEN },
      { adminUrl: "https://snap.example.com" },
    ],
    [
      { SNAP_ADMIN_URL: "http://gate.internal/snap/", SNAP_ADMIN_TOKEN },
      { adminUrl: "http://gate.internal/snap" },
    ],
    [
      { SNAP_ADMIN_URL: "https://snap.example.com/?#", SNAP_ADMIN_TOKEN },
      { adminUrl: "https://snap.example.com" },
    ],
  ])("accepts %j", (environment, expected) => {
    const { config, warnings } = readConfig(environment);
    expect(config).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it.each(["0123456789abcde", "0123456789 abcdef", "0123456789abcdéf", "x".repeat(513)])(
    "rejects the admin token $0 without showing it",
    (token) => {
      expect(mistakesOf({ SNAP_ADMIN_TOKEN: token })).toEqual([
        "SNAP_ADMIN_TOKEN: must be a random string of 16 to 512 ASCII characters without spaces, such as the output of `openssl rand -hex 32`",
      ]);
    },
  );

  it.each([
    "snap.example.com",
    "https://ada:secret@snap.example.com",
    "https://ada:sec/secret@snap.example.com",
    "https://snap.example.com/?a=1",
    "ftp://snap.example.com",
  ])("rejects the address %s", (address) => {
    const mistakes = mistakesOf({ SNAP_ADMIN_URL: address, SNAP_ADMIN_TOKEN });
    expect(mistakes).toEqual([expect.stringMatching(/^SNAP_ADMIN_URL is .*must be the URL of a service/)]);
    expect(mistakes.join()).not.toContain("secret");
  });

  it("does not show a password in SNAP_PUBLIC_URL", () => {
    expect(mistakesOf({ SNAP_PUBLIC_URL: "https://ada:secret@snap.example.com" })).toEqual([
      'SNAP_PUBLIC_URL is "https://…@snap.example.com": must be an origin such as https://snap.example.com, without a path',
    ]);
  });

  it("requires SNAP_ADMIN_TOKEN with SNAP_ADMIN_URL for commands, and rejects SNAP_ADMIN_URL for the service", () => {
    const SNAP_ADMIN_URL = "https://snap.example.com";
    expect(mistakesOf({ SNAP_ADMIN_URL })).toEqual([
      "SNAP_ADMIN_TOKEN: must be set together with SNAP_ADMIN_URL, to the SNAP_ADMIN_TOKEN of that service",
    ]);
    expect(() => readConfig({ SNAP_ADMIN_URL, SNAP_ADMIN_TOKEN }, "service")).toThrow(
      'SNAP_ADMIN_URL is "https://snap.example.com": is only for commands; unset it for serve',
    );
    expect(() => readConfig({ SNAP_ADMIN_TOKEN, SNAP_CONSOLE: "on" }, "service")).not.toThrow();
  });
});

describe("readConfig with several mistakes", () => {
  it("reports them in one message", () => {
    const environment = {
      SNAP_PORT: "x",
      SNAP_SANDBOX: "no",
      SNAP_NAVIGATION_TIMEOUT_MS: "50000",
      SNAP_REDIS_URL: "redis://cache",
    };
    expect(mistakesOf(environment)).toHaveLength(4);
    const names = ["SNAP_PORT", "SNAP_SANDBOX", "SNAP_NAVIGATION_TIMEOUT_MS", "SNAP_REDIS_URL"];
    for (const name of names) expect(() => readConfig(environment)).toThrow(name);
  });
});

describe("readConfig with an unknown variable", () => {
  it.each([
    ["SNAP_PROT", "SNAP_PROT is not a known variable; did you mean SNAP_PORT?"],
    ["SNAP_DATADIR", "SNAP_DATADIR is not a known variable; did you mean SNAP_DATA_DIR?"],
    [
      "SNAP_ALLOWED_TARGETS",
      "SNAP_ALLOWED_TARGETS is not a known variable; did you mean SNAP_ALLOW_TARGETS?",
    ],
    ["SNAP_SOMETHING_ELSE", "SNAP_SOMETHING_ELSE is not a known variable"],
    ["SNAP_FOO", "SNAP_FOO is not a known variable"],
  ])("warns about %s, and suggests a similar name if there is one", (name, warning) => {
    expect(readConfig({ [name]: "1" }).warnings).toEqual([warning]);
  });

  it("ignores snapd's variables", () => {
    const snapd = { SNAP_REVISION: "42", SNAP_NAME: "code", SNAP_DATA: "/var/snap/code/42" };
    expect(readConfig(snapd).warnings).toEqual([]);
    expect(readConfig({ SNAP_DATA: "/data" }).warnings).toHaveLength(1);
  });
});

describe("the disk reserve", () => {
  it("causes a warning with Redis", () => {
    const shared = {
      SNAP_DATABASE_URL: "postgres://db/snap",
      SNAP_REDIS_URL: "redis://cache",
      SNAP_SECRET_KEY: "0123456789abcdef",
    };
    expect(readConfig({ ...shared, SNAP_CACHE_MAX_BYTES: "1" }).warnings).toEqual([]);
    expect(readConfig({ ...shared, SNAP_DISK_RESERVE_BYTES: "1" }).warnings).toEqual([
      "SNAP_DISK_RESERVE_BYTES has no effect because SNAP_REDIS_URL is set: renderings are cached in Redis",
    ]);
  });
});

describe("publicUrlOf", () => {
  it.each([
    [{}, "http://127.0.0.1:3456"],
    [{ SNAP_HOST: "0.0.0.0" }, "http://127.0.0.1:3456"],
    [{ SNAP_HOST: "::" }, "http://[::1]:3456"],
    [{ SNAP_HOST: "0:0::0" }, "http://[::1]:3456"],
    [{ SNAP_HOST: "fe80::1%eth0" }, "http://[fe80::1]:3456"],
    [{ SNAP_HOST: "fd00::1" }, "http://[fd00::1]:3456"],
    [{ SNAP_HOST: "snap.lan" }, "http://snap.lan:3456"],
    [{ SNAP_HOST: "0.0.0.0", SNAP_PUBLIC_URL: "https://snap.example.com" }, "https://snap.example.com"],
  ])("%j returns %s", (environment, origin) => {
    expect(publicUrlOf(readConfig(environment).config, 3456)).toBe(origin);
  });
});

describe("a variable for the local browser", () => {
  it("causes a warning with remote browsers", () => {
    const remote = { SNAP_BROWSER_URL: "ws://127.0.0.1:9222" };
    const local = {
      SNAP_CHROMIUM_PATH: "/usr/bin/chromium",
      SNAP_SANDBOX: "off",
      SNAP_PAGE_MEMORY_BYTES: "1073741824",
      SNAP_PAGE_CPU_SECONDS: "60",
    };
    expect(readConfig(remote).warnings).toEqual([]);
    expect(readConfig(local).warnings).toEqual([]);
    expect(readConfig({ ...remote, ...local }).warnings).toEqual([
      "SNAP_CHROMIUM_PATH has no effect because SNAP_BROWSER_URL is set: no local browser is started",
      "SNAP_SANDBOX has no effect because SNAP_BROWSER_URL is set: no local browser is started",
      "SNAP_PAGE_MEMORY_BYTES has no effect because SNAP_BROWSER_URL is set: no local browser is started",
      "SNAP_PAGE_CPU_SECONDS has no effect because SNAP_BROWSER_URL is set: no local browser is started",
    ]);
  });
});
