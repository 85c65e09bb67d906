import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../server/src/config.ts";
import { PROCESSES } from "../src/docs/drawings/machines.ts";
import { ROOT } from "../src/repository/workspace.ts";
import { findComposeFaults } from "./compose-schema.ts";

type Service = Readonly<Record<string, unknown>>;

const read = (name: string): string => readFileSync(join(ROOT, "packages/server/deploy", name), "utf8");
const load = (name: string): { name: string; services: Record<string, Service>; networks: unknown } =>
  parse(read(name), { merge: true }) as ReturnType<typeof load>;

const compose = load("compose.cluster.yaml");
const { postgres, redis, proxy, ...processes } = compose.services;
const apis = ["api-1", "api-2", "api-3"];
const workers = ["worker-1", "worker-2"];

const ASKED_URL = "${SNAP_PUBLIC_URL:?the origin that clients use, such as https://snap.example.com}";
const NO_NEW_PRIVILEGES = ["no-new-privileges:true"];
const BOUNDED = { driver: "json-file", options: { "max-size": "10m", "max-file": "5" } };

/** As Compose fills in what .env says. */
const fillIn = (value: string, given: Readonly<Record<string, string>>): string =>
  value.replaceAll(
    /\$\{(\w+)(?::([?-])([^}]*))?\}/g,
    (_, name: string, sign: string | undefined, text: string) => {
      const found = given[name] ?? "";
      if (found !== "") return found;
      if (sign === "?") throw new Error(`${name}: ${text}`);
      return text;
    },
  );

const variablesOf = (service: Service): Record<string, string> =>
  service["environment"] as Record<string, string>;

describe("compose.cluster.yaml", () => {
  it("is what Compose understands", () => {
    expect(findComposeFaults(compose)).toBeNull();
    const misspelt = { ...compose.services, redis: { ...redis, read_onlyy: true } };
    expect(findComposeFaults({ ...compose, services: misspelt })).not.toBeNull();
    expect(compose.name).toBe("snap-cluster");
  });

  it("has three that answer and two that work", () => {
    expect(Object.keys(compose.services)).toEqual([...apis, ...workers, "postgres", "redis", "proxy"]);
    expect(PROCESSES).toEqual({ api: 3, worker: 2 });
  });

  it("contains whoever renders as compose.yaml does", () => {
    const { snap } = load("compose.yaml").services;
    const { environment: _, networks: __, volumes: ___, tmpfs: ____, ...containment } = snap ?? {};
    for (const service of Object.values(processes)) {
      const { environment: ownEnvironment, networks: ownNetworks, tmpfs, depends_on, ...rest } = service;
      expect([ownEnvironment, ownNetworks]).not.toContain(undefined);
      expect(rest).toEqual(containment);
      expect(tmpfs).toEqual([
        "/tmp:size=512m,mode=1777,nosuid,nodev,noexec",
        "/var/lib/snap:size=1m,mode=1777,nosuid,nodev,noexec",
      ]);
      expect(depends_on).toEqual({
        postgres: { condition: "service_healthy" },
        redis: { condition: "service_healthy" },
      });
    }
  });

  it("sets them up so that they start, once .env is filled in", () => {
    const example = Object.fromEntries(
      Array.from(read("cluster.env.example").matchAll(/^(\w+)=(.*)$/gm), ([, name = "", value = ""]) => [
        name,
        value,
      ]),
    );
    const secrets = ["SNAP_SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"];
    expect(Object.keys(example)).toEqual(["COMPOSE_FILE", "SNAP_PUBLIC_URL", ...secrets, "SNAP_METRICS"]);
    expect(example["COMPOSE_FILE"]).toBe("compose.cluster.yaml");
    for (const name of secrets) {
      expect(example[name]).toBe("");
      const others = Object.fromEntries(
        secrets.filter((other) => other !== name).map((other) => [other, "a"]),
      );
      const start = (): unknown =>
        Object.values(compose.services).map((service) =>
          Object.values(variablesOf(service)).map((value) => fillIn(value, { ...example, ...others })),
        );
      expect(start).toThrow(name);
    }
    const given = { ...example, ...Object.fromEntries(secrets.map((name) => [name, "0123456789abcdef"])) };
    for (const [name, service] of Object.entries(processes)) {
      const own = Object.entries(variablesOf(service)).map(([key, value]) => [key, fillIn(value, given)]);
      const { config, warnings } = readConfig({ ...given, ...Object.fromEntries(own) });
      expect(warnings).toEqual([]);
      expect(config).toMatchObject({
        host: "0.0.0.0",
        port: 3000,
        publicUrl: "https://snap.example.com",
        role: apis.includes(name) ? "api" : "worker",
        shared: {
          databaseUrl: "postgres://snap:0123456789abcdef@postgres:5432/snap",
          redisUrl: "redis://:0123456789abcdef@redis:6379",
        },
        secretKey: "0123456789abcdef",
        renderConcurrency: 6,
        drainDelayMs: 5000,
        sandbox: "on",
        metrics: true,
      });
    }
  });

  it("keeps pages, the way in, and what is stored apart", () => {
    const bridge = (name: string): Service => ({ "com.docker.network.bridge.name": name });
    expect(compose.networks).toEqual({
      front: { internal: true, driver: "bridge", driver_opts: bridge("snap-front") },
      data: { internal: true, driver: "bridge", driver_opts: bridge("snap-data") },
      pages: {
        driver: "bridge",
        driver_opts: { "com.docker.network.bridge.enable_icc": "false", ...bridge("snap-pages") },
      },
      edge: null,
    });
    for (const name of apis)
      expect(processes[name]?.["networks"]).toEqual({ front: null, data: null, pages: null });
    for (const name of workers) expect(processes[name]?.["networks"]).toEqual({ data: null, pages: null });
    for (const service of [postgres, redis]) expect(service?.["networks"]).toEqual({ data: null });
    expect(proxy?.["networks"]).toEqual({ front: null, edge: null });
    expect(Object.keys(compose.services).filter((name) => compose.services[name]?.["ports"])).toEqual([
      "proxy",
    ]);
    expect(new Set(read("README.md").match(/-i snap-(?:front|pages|data)/g))).toEqual(
      new Set(["-i snap-front", "-i snap-pages", "-i snap-data"]),
    );
  });

  it("has a PostgreSQL with a connection for everybody", () => {
    expect(postgres).toEqual({
      image: "postgres:17-bookworm",
      command: ["postgres", "-c", "max_connections=100", "-c", "shared_buffers=256MB"],
      user: "postgres",
      environment: {
        POSTGRES_USER: "snap",
        POSTGRES_DB: "snap",
        POSTGRES_PASSWORD: "${POSTGRES_PASSWORD:?as openssl rand -hex 32 makes it}",
      },
      networks: { data: null },
      volumes: ["postgres:/var/lib/postgresql/data"],
      read_only: true,
      tmpfs: [
        "/tmp:size=16m,mode=1777,nosuid,nodev,noexec",
        "/run/postgresql:size=1m,mode=1777,nosuid,nodev,noexec",
      ],
      shm_size: "256mb",
      cap_drop: ["ALL"],
      security_opt: NO_NEW_PRIVILEGES,
      pids_limit: 256,
      mem_limit: "1gb",
      healthcheck: {
        test: ["CMD", "pg_isready", "--quiet", "--host=127.0.0.1", "--username=snap", "--dbname=snap"],
        interval: "5s",
        timeout: "3s",
        start_period: "30s",
        retries: 6,
      },
      restart: "unless-stopped",
      stop_grace_period: "60s",
      logging: BOUNDED,
    });
    const source = (name: string): string =>
      readFileSync(join(ROOT, "packages/storage-postgres/src", name), "utf8");
    expect(source("open-postgres-storage.ts")).toContain("maxConnections = 10,");
    // And one that listens.
    expect(Object.keys(processes).length * (10 + 1) + 20).toBeLessThanOrEqual(100);
  });

  it("has a Redis that forgets what was not asked for the longest, and keeps nothing on disk", () => {
    expect(redis).toEqual({
      image: "redis:7-bookworm",
      command: [
        "sh",
        "-c",
        'exec redis-server --requirepass "$$REDISCLI_AUTH" --maxmemory 1gb --maxmemory-policy allkeys-lru --save "" --appendonly no',
      ],
      user: "redis",
      environment: { REDISCLI_AUTH: "${REDIS_PASSWORD:?as openssl rand -hex 32 makes it}" },
      networks: { data: null },
      read_only: true,
      tmpfs: ["/data:size=1m,mode=1777,nosuid,nodev,noexec"],
      cap_drop: ["ALL"],
      security_opt: NO_NEW_PRIVILEGES,
      pids_limit: 64,
      mem_limit: "1536mb",
      healthcheck: {
        test: ["CMD-SHELL", "redis-cli ping | grep -q PONG"],
        interval: "5s",
        timeout: "3s",
        retries: 6,
      },
      restart: "unless-stopped",
      logging: BOUNDED,
    });
  });

  it("runs the proxy as compose.yaml does", () => {
    const { proxy: single } = load("compose.yaml").services;
    expect(proxy).toEqual({
      ...single,
      volumes: ["./Caddyfile.cluster:/etc/caddy/Caddyfile:ro", "certificates:/data"],
      depends_on: apis,
    });
    expect(proxy?.["environment"]).toEqual({ SNAP_PUBLIC_URL: ASKED_URL });
  });

  it("has a guide that replaces its processes one by one, workers first", () => {
    const guide = readFileSync(join(ROOT, "docs/how-to/run-several-machines.md"), "utf8");
    expect(guide).toContain(`for name in ${[...workers, ...apis].join(" ")}; do\n`);
    expect(guide).toContain(`docker compose stop proxy ${[...apis, ...workers].join(" ")}\n`);
  });
});

describe("Caddyfile.cluster", () => {
  const directivesOf = (name: string): string[] =>
    read(name)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
  const directives = directivesOf("Caddyfile.cluster");
  const passesOn = directives.indexOf("reverse_proxy api-1:3000 api-2:3000 api-3:3000 {");

  it("is as the Caddyfile of one process where it can be", () => {
    const single = directivesOf("Caddyfile");
    const until = single.indexOf("reverse_proxy snap:3000 {");
    expect(directives.slice(0, passesOn)).toEqual(single.slice(0, until));
  });

  it("passes requests to who is ready, gives renders their time, and repeats what may be", () => {
    expect(directives.slice(passesOn)).toEqual([
      "reverse_proxy api-1:3000 api-2:3000 api-3:3000 {",
      "lb_policy least_conn",
      "health_uri /readyz",
      "health_interval 1s",
      "health_timeout 3s",
      "lb_try_duration 10s",
      "lb_try_interval 250ms",
      "flush_interval -1",
      "transport http {",
      "dial_timeout 2s",
      "response_header_timeout 120s",
      "keepalive 60s",
      "}",
      "}",
      "handle_errors {",
      "@none expression {err.status_code} == 503",
      "handle @none {",
      "header {",
      'Content-Type "application/json; charset=utf-8"',
      "Cache-Control no-store",
      "Retry-After 2",
      "X-Request-Id {http.request.uuid}",
      "}",
      'respond `{"code":"not_ready","message":"The service is not ready; repeat the request.","request_id":"{http.request.uuid}"}` 503',
      "}",
      "handle {",
      'respond "" {err.status_code}',
      "}",
      "}",
      "}",
    ]);
  });
});
