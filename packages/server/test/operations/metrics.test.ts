import { createEngine, type DeliveryAttempt } from "@snap/engine";
import type { ServerClock } from "@snap/engine/ports";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { METRICS } from "../../src/operations/metrics/catalog.ts";
import { SITE } from "../admin/open-admin.ts";
import { createMetrics, type Metrics } from "../../src/operations/metrics/create-metrics.ts";
import { ROUTES } from "../../src/operations/metrics/requests.ts";
import { openService } from "../http/open-service.ts";
import { routesOfApp } from "../http/routes-of-app.ts";

const definitions = Object.values(METRICS).flatMap((metrics) => Object.values(metrics));

interface TestMetrics {
  readonly metrics: Metrics;
  /** Returns the lines of a scrape that begin with `prefix`. */
  readonly scrape: (prefix: string) => Promise<string[]>;
}

function open(servers: readonly ServerClock[] = []): TestMetrics {
  const metrics = createMetrics();
  const storage = { ...createMemoryStorage(), clocks: servers };
  const engine = createEngine({
    storage,
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
  });
  onTestFinished(() => engine.close());
  return {
    metrics,
    async scrape(prefix) {
      const { body } = await metrics.expose(engine);
      return body.split("\n").filter((line) => line.startsWith(prefix));
    },
  };
}

/** Returns the labels and values of a scrape that `METRICS` does not list. */
function findUndocumented(text: string): readonly string[] {
  return definitions.flatMap(({ name, labels = {} }) => {
    const series = text.matchAll(new RegExp(`^${name}(?:_bucket|_count|_sum)?\\{(.*)\\}`, "gm"));
    return Array.from(series, ([, pairs = ""]) => Array.from(pairs.matchAll(/(\w+)="([^"]*)"/g))).flatMap(
      (pairs) =>
        pairs
          .filter(([, label = "", value = ""]) => {
            const values = label === "le" ? "the bound of a bucket" : labels[label];
            return values === undefined || (typeof values === "object" && !Object.hasOwn(values, value));
          })
          .map(([pair]) => `${name}{${pair}}`),
    );
  });
}

describe("the definitions", () => {
  it("match a scrape, which has only documented labels and values", async () => {
    const { send, snap, customer } = await openService({ metrics: true });
    const { token } = await customer();
    await snap({ url: "https://example.com/" }, { token });
    await send("/some/unknown/path");
    const text = (await send("/metrics")).body.toString();
    const names = Array.from(
      text.matchAll(/^# TYPE (snap_\w+) (\w+)$/gm),
      ([, name, type]) => `${name} ${type}`,
    );
    expect(names.toSorted()).toEqual(definitions.map(({ name, type }) => `${name} ${type}`).toSorted());
    expect(findUndocumented(text)).toEqual([]);
  });

  it("have names with the right prefix and suffix, and a help text that ends with a full stop", () => {
    for (const { name, type, help } of definitions) {
      expect(name).toMatch(/^snap_[a-z_]+$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(name.endsWith("_seconds")).toBe(
        type === "histogram" || /(age|skew|unfinished)_seconds$/.test(name),
      );
      expect(help).toMatch(/\.$/);
    }
  });

  it("list the service's routes", () => {
    const routes = routesOfApp({ metrics: createMetrics(), admin: { console: SITE } });
    const paths = routes.map(({ path }) => path as unknown);
    const listed = Object.keys(ROUTES);
    const isListed = (path: unknown): boolean =>
      path instanceof RegExp
        ? listed.some((route) => path.test(route))
        : listed.includes(String(path).replace(/^\/console\/assets\/.*/, "/console/{file}"));
    // the former API's paths and unknown ones have no route
    const expected = listed.filter((route) => route !== "/api/v1" && route !== "unmatched");
    expect(
      { unlisted: paths.filter((path) => !isListed(path)), count: paths.length },
      "the routes of the app and those in packages/server/src/operations/metrics/requests.ts differ",
    ).toEqual({ unlisted: [], count: expected.length });
  });
});

describe("the metrics", () => {
  it("record the duration of a request by its status class", async () => {
    const { metrics, scrape } = open();
    metrics.countRequest({ route: "/v1/snap", status: 200, code: "", durationSeconds: 0.3 });
    metrics.countRequest({ route: "/v1/snap", status: 304, code: "", durationSeconds: 0.01 });
    metrics.countRequest({ route: "/v1/snap", status: 502, code: "upstream_error", durationSeconds: 70 });
    expect(await scrape("snap_request_duration_seconds_sum")).toEqual([
      'snap_request_duration_seconds_sum{route="/v1/snap",status_class="2xx"} 0.3',
      'snap_request_duration_seconds_sum{route="/v1/snap",status_class="3xx"} 0.01',
      'snap_request_duration_seconds_sum{route="/v1/snap",status_class="5xx"} 70',
    ]);
  });

  it("count each reason for replacing a browser, and name the newest browser", async () => {
    const { metrics, scrape } = open();
    const build = (browser: string): RegExp =>
      new RegExp(
        `^snap_build_info\\{version="[^"]+",commit="\\w+",node="v[\\d.]+",browser="${browser}"\\} 1$`,
      );
    expect(await scrape("snap_build_info")).toEqual([expect.stringMatching(build(""))]);
    metrics.countRendererEvent({ type: "browser-started", pid: 1, version: "HeadlessChrome/156.0" });
    metrics.countRendererEvent({ type: "browser-recycled", pid: 1, reason: "memory" });
    metrics.countRendererEvent({ type: "browser-started", pid: 2, version: "HeadlessChrome/157.0" });
    metrics.countRendererEvent({ type: "browser-unresponsive", pid: 2 });
    metrics.countRendererEvent({ type: "browser-ended", pid: 2, reason: "the browser exited (SIGKILL)" });
    metrics.countRendererEvent({ type: "remote-browser-ended", endpoint: "ws://10.0.0.7", reason: "closed" });
    expect(await scrape("snap_build_info")).toEqual([expect.stringMatching(build("HeadlessChrome/157.0"))]);
    expect(await scrape("snap_browser_restarts_total")).toEqual([
      'snap_browser_restarts_total{reason="renders"} 0',
      'snap_browser_restarts_total{reason="age"} 0',
      'snap_browser_restarts_total{reason="memory"} 1',
      'snap_browser_restarts_total{reason="ended"} 1',
      'snap_browser_restarts_total{reason="disconnected"} 1',
    ]);
  });

  it("count a webhook as abandoned only if its last attempt fails", async () => {
    const { metrics, scrape } = open();
    const attempt: DeliveryAttempt = {
      batchId: "b",
      accountId: "acct_1",
      receiver: "https://example.com",
      attempt: 1,
      response: "",
      outcome: { kind: "responded", status: 500, retryAfterMs: null, body: "" },
      delivered: false,
      retryAt: 5,
    };
    metrics.countDelivery(attempt);
    metrics.countDelivery({
      ...attempt,
      outcome: { kind: "responded", status: 200, retryAfterMs: null, body: "" },
      delivered: true,
      retryAt: null,
    });
    expect(await scrape("snap_webhooks_given_up_total")).toEqual(["snap_webhooks_given_up_total 0"]);
    metrics.countDelivery({ ...attempt, retryAt: null });
    expect(await scrape("snap_webhooks_given_up_total")).toEqual(["snap_webhooks_given_up_total 1"]);
  });

  it("show a server as down if it does not report its time", async () => {
    let redis: number | null = 1;
    const { scrape } = open([
      { name: "PostgreSQL", now: () => Promise.reject(new Error("no connection")) },
      { name: "Redis", now: () => Promise.resolve(redis) },
    ]);
    const dependencies = [
      'snap_dependency_up{dependency="storage"} 1',
      'snap_dependency_up{dependency="browser"} 1',
      'snap_dependency_up{dependency="PostgreSQL"} 0',
    ];
    expect(await scrape("snap_dependency_up")).toEqual([
      ...dependencies,
      'snap_dependency_up{dependency="Redis"} 1',
    ]);
    redis = null;
    expect(await scrape("snap_dependency_up")).toEqual([
      ...dependencies,
      'snap_dependency_up{dependency="Redis"} 0',
    ]);
  });

  it("show a server that hangs as down, and query it only once", async () => {
    let reads = 0;
    const { scrape } = open([{ name: "PostgreSQL", now: () => new Promise(() => void (reads += 1)) }]);
    const down = 'snap_dependency_up{dependency="PostgreSQL"} 0';
    reads = 0; // the engine has already read this clock
    expect(await scrape("snap_dependency_up")).toContain(down);
    expect(await scrape("snap_dependency_up")).toContain(down);
    expect(reads).toBe(1);
  });

  it("show the age of the last backup, if the engine knows it", async () => {
    const metrics = createMetrics();
    const engine = createEngine({
      storage: createMemoryStorage(),
      renderer: createFakeRenderer(),
      secretKey: "a key for these tests",
    });
    onTestFinished(() => engine.close());
    expect((await metrics.expose(engine)).body).not.toMatch(/^snap_backup_age_seconds /m);
    const lastBackupAt = (): Promise<number> => Promise.resolve(Date.now() - 3_600_000);
    const { body } = await metrics.expose({ ...engine, lastBackupAt });
    expect(body).toMatch(/^snap_backup_age_seconds 36\d\d/m);
  });
});

it("snap_ready is 0 while the service is stopping", async () => {
  const { service, send } = await openService({ metrics: true, drainDelayMs: 500 });
  expect((await send("/metrics")).body.toString()).toMatch(/^snap_ready 1$/m);
  const stopped = service.stop();
  expect((await send("/metrics")).body.toString()).toMatch(/^snap_ready 0$/m);
  await stopped;
});
