import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median, percentile } from "../measure.ts";
import { ATTACKS, type Attack } from "../neighbors/attacks.ts";
import { observe, requestOutcome, type Neighbor, type Observation } from "../neighbors/observe.ts";
import { memoryBytes, startProgram } from "../processes.ts";
import { formatMegabytes } from "../report.ts";
import { atMost, type Bench, type Figure, type Row, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService, type RequestHeaders, type StartedService } from "../service.ts";
import { newJob } from "../ways/way.ts";

/** Concurrent renders of the attacker. */
const CONCURRENCY = 3;
/** How long the service has to identify the attacker. */
const GRACE_MS = 30_000;
const ATTACK_MS = { quick: 15_000, full: 60_000 };
/** How long the neighbor continues after the attack. */
const REST_MS = { quick: 3_000, full: 10_000 };
const MEMORY_INTERVAL_MS = 1_000;

/** Every other outcome is a failure. */
const EXPECTED_OUTCOMES = new Set(["200", "429 rate_limited"]);

export const neighbors: Scenario = {
  name: "neighbors",
  title: "Neighbors",
  fullRunOnly: true,
  about:
    "One account renders hostile pages, three at a time, while a neighbor sends one small render, five requests for cache hits and one batch poll per second, whether or not earlier ones have finished. Each page attacks a new service for a minute. The variable `ATTACKS`, a comma-separated list, restricts the run to pages whose names contain one of its parts.",
  async run(bench) {
    const nameParts = (process.env["ATTACKS"] ?? "").split(",");
    const attacks = ATTACKS.filter(({ name }) => nameParts.some((part) => name.includes(part)));
    if (attacks.length === 0) throw new Error(`No hostile page's name contains ${nameParts.join(" or ")}.`);
    const site = await startProgram(join(import.meta.dirname, "../neighbors/serve-attacks.ts"));
    const names = await startProgram(join(import.meta.dirname, "../neighbors/serve-silent-names.ts"));
    const results: Result[] = [];
    for (const [index, attack] of attacks.entries()) {
      bench.log(`${attack.name} (${index + 1} of ${attacks.length})`);
      const result = await measure(bench, { attack, port: site.line, nameServer: names.line });
      results.push(result);
      bench.log(JSON.stringify(toRow(result)));
    }
    await Promise.all([site.stop(), names.stop()]);
    return { figures: figuresOf(results), tables: [results.map(toRow)] };
  },
};

/** A hostile page, and the servers on which it depends. */
interface HostilePage {
  readonly attack: Attack;
  readonly port: string;
  readonly nameServer: string;
}

interface Result {
  readonly attack: Attack;
  readonly observations: readonly Observation[];
  readonly attackerOutcomes: readonly string[];
  readonly memoryMaxBytes: number;
}

async function measure(bench: Bench, hostilePage: HostilePage): Promise<Result> {
  const size = bench.quick ? "quick" : "full";
  const service = await startService(
    { ...bench, allowedTargets: `${bench.allowedTargets},127.0.0.0/8:${hostilePage.port}` },
    { accounts: 2, env: { SNAP_DNS_SERVERS: hostilePage.nameServer } },
  );
  const [attacker = {}] = service.bearerHeaders;
  const neighbor = await prepareNeighbor(bench, service);
  let memoryMaxBytes = 0;
  const sampleTimer = setInterval(() => {
    memoryMaxBytes = Math.max(memoryMaxBytes, memoryBytes(service.pid));
  }, MEMORY_INTERVAL_MS);
  const attackEndMs = performance.now() + ATTACK_MS[size];
  const pendingOutcomes = Promise.all(
    Array.from({ length: CONCURRENCY }, () => attackUntil(attackEndMs, hostilePage, service, attacker)),
  );
  const observations = await observe(neighbor, (ATTACK_MS[size] + REST_MS[size]) / 1000);
  clearInterval(sampleTimer);
  await service.kill();
  const attackerOutcomes = (await pendingOutcomes).flat();
  return { attack: hostilePage.attack, observations, attackerOutcomes, memoryMaxBytes };
}

async function prepareNeighbor(bench: Bench, service: StartedService): Promise<Neighbor> {
  const [, headers = {}] = service.bearerHeaders;
  const newPageUrl = (): string => service.snapUrl(newJob(bench.siteOrigin, "small"));
  const cachedUrl = newPageUrl();
  await fetchExpecting(200, cachedUrl, headers);
  const items = Array.from({ length: 20 }, () => ({ url: newJob(bench.siteOrigin, "small").url }));
  const { id } = await service.renderBatch(1, items);
  return { headers, newPageUrl, cachedUrl, batchUrl: `${service.baseUrl}/renders/${id}` };
}

/** Renders the hostile page repeatedly, and returns the outcomes. */
async function attackUntil(
  endMs: number,
  { attack, port }: HostilePage,
  service: StartedService,
  attacker: RequestHeaders,
): Promise<string[]> {
  const outcomes: string[] = [];
  if (attack.script === "") return outcomes;
  const page = `http://127.0.0.1:${port}/attack/${ATTACKS.indexOf(attack)}`;
  while (performance.now() < endMs) {
    const query = new URLSearchParams({ url: `${page}?${Math.random()}`, ...attack.parameters });
    const url = `${service.baseUrl}/snap?${query.toString()}`;
    outcomes.push(await requestOutcome(url, attacker));
    if (attack.repeats && outcomes.at(-1) === "200")
      for (let hit = 0; hit < 10; hit += 1) await requestOutcome(url, attacker);
    // Rejected requests return immediately.
    await sleep(100);
  }
  return outcomes;
}

function toRow({ attack, observations, attackerOutcomes, memoryMaxBytes }: Result): Row {
  const renders = observations.filter(({ kind }) => kind === "render");
  const others = observations.filter(({ kind }) => kind !== "render");
  const later = renders.filter(({ sentMs }) => sentMs >= GRACE_MS);
  const unexpected = observations.filter(({ outcome }) => !EXPECTED_OUTCOMES.has(outcome));
  return {
    "hostile page": attack.name,
    "renders with 200": `${renders.filter(({ outcome }) => outcome === "200").length} of ${renders.length}`,
    "median s": seconds(median(timesOf(renders))),
    "longest s": seconds(Math.max(...timesOf(renders))),
    "p99 after 30 s": seconds(percentile(timesOf(later), 0.99)),
    "hits and polls: p99 s": seconds(percentile(timesOf(others), 0.99)),
    "longest s ": seconds(Math.max(...timesOf(others))),
    "not 200 or 429": formatCounts(unexpected.map(({ kind, outcome }) => `${kind} ${outcome}`)),
    "the attacker's outcomes": formatCounts(attackerOutcomes),
    "memory MB": formatMegabytes(memoryMaxBytes),
  };
}

function figuresOf(results: readonly Result[]): Figure[] {
  const baseline = results.find(({ attack }) => attack.script === "");
  const attacked = results.filter((result) => result !== baseline);
  const rendersOf = ({ observations }: Result): Observation[] =>
    observations.filter(({ kind }) => kind === "render");
  const earlyRenders = attacked.flatMap(rendersOf).filter(({ sentMs }) => sentMs < GRACE_MS);
  const laterP99s = attacked.map((result) =>
    percentile(timesOf(rendersOf(result).filter(({ sentMs }) => sentMs >= GRACE_MS)), 0.99),
  );
  const failures = results
    .flatMap(({ observations }) => observations)
    .filter(({ outcome }) => !EXPECTED_OUTCOMES.has(outcome));
  const allowedMs = baseline ? 2 * percentile(timesOf(rendersOf(baseline)), 0.99) + 1000 : Number.NaN;
  return [
    atMost(0, "a neighbor's responses that are neither 200 nor 429", failures.length),
    atMost(
      10,
      "a neighbor's longest render in the first 30 s of an attack, s",
      Math.max(...timesOf(earlyRenders)) / 1000,
    ),
    atMost(
      1,
      "a neighbor's p99 after that, relative to twice its p99 without an attack plus 1 s",
      Math.max(...laterP99s) / allowedMs,
    ),
  ];
}

const timesOf = (observations: readonly Observation[]): number[] =>
  observations.map(({ durationMs }) => durationMs);
const seconds = (ms: number): string => (Number.isFinite(ms) ? (ms / 1000).toFixed(2) : "-");

/** Formats counts, such as `3 × 200, 1 × 504 render_timeout`. */
function formatCounts(outcomes: readonly string[]): string {
  const counts = Map.groupBy(outcomes, (outcome) => outcome);
  return [...counts].map(([outcome, repeats]) => `${repeats.length} × ${outcome}`).join(", ") || "none";
}
