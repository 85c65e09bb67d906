import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import {
  openWorkspace,
  until,
  type MintedToken,
  type RunningCommand,
} from "../../../server/test/cli/command.ts";
import { servePages, type Pages } from "../../../server/test/cli/pages.ts";
import { listen } from "../../../testing/test/servers/listen.ts";
import { startPostgres } from "../../../testing/test/servers/postgres.ts";
import { startRedis } from "../../../testing/test/servers/redis.ts";
import { extendPath } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";
import { findFiring, scrape, type Scrape } from "./scrapes.ts";

const read = (name: string): string => readFileSync(join(ROOT, "packages/server/deploy", name), "utf8");
const { groups } = parse(read("alerts.yml")) as { groups: { rules: { alert: string; expr: string }[] }[] };
const rules = groups.flatMap((group) => group.rules);
const ALERTS = rules.map(({ alert }) => alert);

interface TestedService {
  readonly running: RunningCommand;
  readonly pages: Pages;
  readonly dataDir: string;
  /** Returns the status of a request for a rendering. */
  render(path: string, more?: Readonly<Record<string, string>>): Promise<number>;
  submit(body: unknown): Promise<number>;
  backUp(): Promise<unknown>;
  readonly scrape: () => Promise<Scrape>;
}

/** Starts `snap-server serve` with metrics, and creates an account. */
async function serve(variables: Readonly<Record<string, string>> = {}): Promise<TestedService> {
  const pages = await servePages();
  const workspace = openWorkspace({
    SNAP_PORT: "0",
    SNAP_METRICS: "on",
    SNAP_LOG_LEVEL: "debug",
    SNAP_ALLOW_TARGETS: "127.0.0.1",
    SNAP_WEBHOOK_SCHEDULE: "0s",
    ...variables,
  });
  onTestFinished(async () => {
    await workspace.cleanUp();
    await pages.close();
  });
  const account = (await workspace.json(
    "accounts create --email ada@example.com --plan starter".split(" "),
  )) as { id: string };
  const { token } = (await workspace.json(["tokens", "create", "--account", account.id])) as MintedToken;
  const running = workspace.start(["serve"]);
  const [, port] = await running.whenPrinted(/"port":(\d+),"msg":"listening"/);
  const origin = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    running,
    pages,
    dataDir: join(workspace.directory, "data"),
    async render(path, more = {}) {
      const query = new URLSearchParams({ url: `${pages.url}${path}`, waitUntil: "load", ...more });
      const response = await fetch(`${origin}/v1/snap?${query.toString()}`, { headers });
      await response.arrayBuffer();
      return response.status;
    },
    async submit(body) {
      const sent = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(`${origin}/v1/renders`, sent)).status;
    },
    backUp: () => workspace.json(["backup", join(workspace.directory, "snap.tar")]),
    scrape: () => scrape(origin),
  };
}

/** Scrapes until a series has this value. */
function scrapeUntil(service: TestedService, series: string, value: number): Promise<Scrape> {
  return until(service.scrape, (samples) => samples.get(series) === value);
}

const up = (dependency: string): string => `snap_dependency_up{dependency="${dependency}"}`;

describe("the alerts of a service with a data folder", { tags: ["browser", "promtool"] }, () => {
  beforeAll(extendPath);

  it("are silent while the service works, and fire for each fault", async () => {
    const service = await serve();
    expect(await service.render("first")).toBe(200);
    const before = await service.scrape();
    expect(await service.render("second")).toBe(200);
    const working = await service.scrape();
    expect(working.get('snap_reservations_ended_total{resolution="settled"}')).toBe(2);
    expect(working.get('snap_queue_wait_seconds_count{priority="interactive"}')).toBe(2);
    expect(working.get("snap_browser_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(working.get("snap_ready")).toBe(1);
    expect(await findFiring(ALERTS, { before, after: working })).toEqual([]);

    // Renders are refunded, because no element on the page matches.
    for (let request = 0; request < 2; request += 1)
      expect(await service.render("", { selector: "#missing" })).toBe(500);
    const refunded = await service.scrape();
    expect(refunded.get('snap_reservations_ended_total{resolution="refunded"}')).toBe(2);
    expect(await findFiring(ALERTS, { before: working, after: refunded })).toEqual(["SnapRefundsHigh"]);

    // A receiver rejects its webhook.
    const receiver = createServer((_request, response) => void response.writeHead(500).end());
    const webhookUrl = `http://127.0.0.1:${await listen(receiver)}/`;
    expect(await service.submit({ items: [{ url: service.pages.url }], webhookUrl })).toBe(202);
    const abandoned = await scrapeUntil(service, "snap_webhooks_given_up_total", 1);
    expect(await findFiring(ALERTS, { before: refunded, after: abandoned })).toEqual(["SnapWebhooksGivenUp"]);

    // The browser is killed.
    const [, pid] = await service.running.whenPrinted(/"pid":(\d+),.*"msg":"browser started"/);
    process.kill(-Number(pid), "SIGKILL");
    const restarted = await scrapeUntil(service, 'snap_browser_restarts_total{reason="ended"}', 1);
    expect(await findFiring(ALERTS, { before: abandoned, after: restarted })).toContain(
      "SnapBrowserRestarts",
    );
    const recovered = await scrapeUntil(service, up("browser"), 1);

    // Another program locks the database while a page is loading, for longer than a refund waits.
    const rendering = service.render("held");
    const held = await service.pages.held();
    const other = new DatabaseSync(join(service.dataDir, "snap.db"));
    other.exec("BEGIN IMMEDIATE");
    held.end("<h1>done</h1>");
    expect(await rendering).toBe(500);
    const locked = await scrapeUntil(service, "snap_ready", 0);
    other.exec("ROLLBACK");
    other.close();
    expect(locked.get(up("storage"))).toBe(0);
    const firing = await findFiring(ALERTS, { before: recovered, after: locked });
    for (const alert of ["SnapNotReady", "SnapDependencyDown", "SnapLedgerFailing", "SnapServerErrors"])
      expect(firing).toContain(alert);
    await scrapeUntil(service, 'snap_reservations_ended_total{resolution="refunded"}', 3);
    await scrapeUntil(service, "snap_ready", 1);
  });

  it("fire when the disk has no space for the cache", async () => {
    const service = await serve({ SNAP_DISK_RESERVE_BYTES: "900000000000000" });
    const before = await service.scrape();
    expect(await service.render("")).toBe(200);
    const after = await service.scrape();
    expect(after.get('snap_cache_evictions_total{reason="space"}')).toBe(1);
    expect(await findFiring(ALERTS, { before, after })).toEqual([
      "SnapDiskLow",
      "SnapDiskReserveReached",
      "SnapCacheOutOfSpace",
    ]);
  });
});

const SHARED_PARTS = ["browser", "postgres", "redis", "promtool"];

describe("the alerts of a service with PostgreSQL and Redis", { tags: SHARED_PARTS }, () => {
  beforeAll(extendPath);

  it("fire when PostgreSQL or Redis is gone, and use only exposed metrics and labels", async () => {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    onTestFinished(async () => {
      await Promise.all([postgres.remove(), redis.stop()]);
    });
    const service = await serve({
      SNAP_DATABASE_URL: postgres.url(),
      SNAP_REDIS_URL: redis.url,
      SNAP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SNAP_PUBLIC_URL: "http://snap.example.com",
    });
    expect(await service.render("")).toBe(200);
    expect(await service.submit({ items: [{ url: service.pages.url }] })).toBe(202);
    const before = await scrapeUntil(service, 'snap_batch_items_total{status="done",code=""}', 1);
    for (const name of ["storage", "browser", "PostgreSQL", "Redis"]) expect(before.get(up(name))).toBe(1);
    const embedded = await serve();
    await embedded.backUp();
    const exposed = [...before.keys(), ...(await embedded.scrape()).keys()];
    expect(findUnknown(usesOf(rules.map(({ expr }) => expr)), exposed)).toEqual([]);
    expect(findUnknown(usesOf(readDashboard()), exposed)).toEqual([]);

    await redis.kill();
    const withoutRedis = await scrapeUntil(service, up("Redis"), 0);
    expect(await findFiring(ALERTS, { before, after: withoutRedis })).toEqual(["SnapRedisDown"]);
    await redis.restart();
    await scrapeUntil(service, up("Redis"), 1);

    await postgres.kill();
    const withoutPostgres = await until(
      service.scrape,
      (samples) => samples.get(up("PostgreSQL")) === 0 && samples.get("snap_ready") === 0,
    );
    expect(withoutPostgres.has("snap_batch_oldest_unfinished_seconds")).toBe(false);
    expect(await findFiring(ALERTS, { before, after: withoutPostgres })).toEqual([
      "SnapNotReady",
      "SnapDependencyDown",
    ]);
    await postgres.start();
    await scrapeUntil(service, up("PostgreSQL"), 1);
    await scrapeUntil(service, "snap_ready", 1);
  });
});

/** A metric, and the labels by which an expression selects, groups or joins its series. */
interface MetricUse {
  readonly metric: string;
  readonly labels: readonly string[];
}

function usesOf(expressions: readonly string[]): readonly MetricUse[] {
  return expressions.flatMap((expression) =>
    Array.from(
      expression.matchAll(/\b((?:snap|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
      ([, metric = "", selectors = ""]) => ({
        metric,
        labels: [...selectors.matchAll(/(\w+) *(?:=|!=|=~|!~) *"/g), ...groupings(expression)].map(
          ([, label = ""]) => label,
        ),
      }),
    ),
  );
}

/** Returns the labels in `by (…)` and `on (…)`, which all metrics in the expression have. */
function groupings(expression: string): RegExpMatchArray[] {
  const listed = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, labels = ""]) => labels);
  return [...listed.join(" ").matchAll(/(\w+)/g)];
}

/** Prometheus adds these labels. */
const TARGET_LABELS = new Set(["job", "instance"]);

function findUnknown(uses: readonly MetricUse[], exposed: readonly string[]): readonly string[] {
  expect(uses.length).toBeGreaterThan(10);
  return uses.flatMap(({ metric, labels }) => {
    const series = exposed.filter((name) => name === metric || name.startsWith(`${metric}{`));
    if (series.length === 0) return [metric];
    return labels
      .filter((label) => !TARGET_LABELS.has(label))
      .filter((label) => !series.some((name) => name.includes(`${label}="`)))
      .map((label) => `${metric}{${label}}`);
  });
}

function readDashboard(): readonly string[] {
  const { panels } = JSON.parse(read("dashboard.json")) as { panels: { targets?: { expr: string }[] }[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}
