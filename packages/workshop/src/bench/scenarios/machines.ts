import { createEngine, type Engine } from "@snap/engine";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer } from "@snap/testing";
import { join } from "node:path";
import { startPostgres } from "../../servers/postgres.ts";
import { startRedis } from "../../servers/redis.ts";
import { startLoadGenerator, type LoadGenerator } from "../load-generator.ts";
import type { ClusterNodeOptions } from "../programs/cluster-node.ts";
import type { LoadOrder } from "../programs/load-generator.ts";
import { rounded } from "../report/table.ts";
import { countRoundTrips } from "../round-trips.ts";
import type { Bench, Findings, Scenario } from "../scenario.ts";
import { startProgram, type StartedProgram } from "../start-program.ts";
import { median } from "../statistics.ts";

const NODES = 3;
const CONNECTIONS_PER_NODE = 8;
const SECRET_KEY = "only of the benchmark";
/** An account may have 300 cached answers a minute. */
const HITS_PER_ACCOUNT = 250;
/** Asked one after the other, to count what one of them costs. */
const COUNTED = 1000;

type Bearer = Readonly<Record<string, string>>;

interface Kind {
  readonly name: "hits" | "renders";
  readonly perNode: (bench: Bench) => number;
  readonly order: (bearers: readonly Bearer[]) => Pick<LoadOrder, "path" | "numbered" | "headers" | "status">;
  readonly roundTrips: { readonly postgres: number; readonly redis: number };
}

const PAGE = `/v1/snap?url=${encodeURIComponent("https://example.com/")}`;
let numbered = 0;

const KINDS: readonly Kind[] = [
  {
    name: "hits",
    perNode: ({ quick }) => (quick ? 500 : 2_000),
    order: (headers) => ({ path: PAGE, headers, status: 200 }),
    roundTrips: { postgres: 1, redis: 2 },
  },
  {
    name: "renders",
    perNode: ({ quick }) => (quick ? 200 : 1_000),
    // Pages that nobody has asked for yet.
    order: (headers) => ({ path: `${PAGE}${(numbered += 1)}-`, numbered: true, headers, status: 200 }),
    roundTrips: { postgres: 3, redis: 4 },
  },
];

export const machines: Scenario = {
  name: "machines",
  title: "Several machines",
  about: `One to ${NODES} api processes over PostgreSQL and Redis, all on this machine, with a renderer that answers at once: what is measured is all the rest. ${CONNECTIONS_PER_NODE} kept connections to each process. Round trips are those of one request at a time, on one process that has served some before.`,
  onlyFull: true,
  async run(bench) {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const options: ClusterNodeOptions = {
      databaseUrl: postgres.url(),
      redisUrl: redis.url,
      secretKey: SECRET_KEY,
    };
    const engine = await openEngine(options);
    const program = join(import.meta.dirname, "../programs/cluster-node.ts");
    const nodes = await Promise.all(
      Array.from({ length: NODES }, () => startProgram(program, [JSON.stringify(options)])),
    );
    const generators = nodes.map(() => startLoadGenerator());
    try {
      const speeds = await measureSpeeds(bench, { engine, nodes, generators });
      const trips = await measureTrips({ engine, node: nodes[0], generator: generators[0], ...options });
      return report(speeds, trips);
    } finally {
      for (const generator of generators) generator.stop();
      await Promise.all(nodes.map((node) => node.stop()));
      await engine.close();
      await Promise.all([postgres.remove(), redis.stop()]);
    }
  },
};

async function openEngine({ databaseUrl, redisUrl, secretKey }: ClusterNodeOptions): Promise<Engine> {
  const cache = await openRedisCache({ url: redisUrl });
  return createEngine({
    storage: await openPostgresStorage({ url: databaseUrl, cache }),
    renderer: createFakeRenderer(),
    secretKey,
  });
}

let accounts = 0;

async function newBearers(engine: Engine, count: number): Promise<Bearer[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { id: accountId } = await engine.accounts.create({
        email: `bench-${(accounts += 1)}@example.com`,
        verified: true,
        planSlug: "scale",
        creditsPerPeriod: 1_000_000,
        requestsPerMinute: 1_000_000,
      });
      const { token } = await engine.tokens.create({ accountId });
      return { authorization: `Bearer ${token}` };
    }),
  );
}

interface Speed {
  readonly kind: Kind;
  readonly nodes: number;
  readonly perSecond: number;
}

/** Round by round, with ever more processes and then with ever fewer. */
async function measureSpeeds(
  bench: Bench,
  cluster: {
    readonly engine: Engine;
    readonly nodes: readonly StartedProgram[];
    readonly generators: readonly LoadGenerator[];
  },
): Promise<Speed[]> {
  const counts = Array.from({ length: NODES }, (_, index) => index + 1);
  const seen = new Map<string, number[]>();
  for (let round = 0; round <= (bench.quick ? 1 : 2); round += 1)
    for (const kind of KINDS)
      for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
        bench.say(`${kind.name} of ${count}, ${round === 0 ? "warming up" : `round ${round}`}`);
        const answers = kind.perNode(bench);
        const bearers = await newBearers(cluster.engine, Math.ceil((answers * count) / HITS_PER_ACCOUNT));
        const order = { ...kind.order(bearers), connections: CONNECTIONS_PER_NODE, answers };
        await warm(cluster, order, bearers);
        const startedMs = performance.now();
        await Promise.all(
          cluster.nodes.slice(0, count).map(async ({ line }, index) => {
            await cluster.generators[index]?.run({ ...order, port: Number(line) });
          }),
        );
        const perSecond = (answers * count * 1000) / (performance.now() - startedMs);
        const name = `${kind.name} ${count}`;
        if (round > 0) seen.set(name, [...(seen.get(name) ?? []), perSecond]);
      }
  return KINDS.flatMap((kind) =>
    counts.map((nodes) => ({ kind, nodes, perSecond: median(seen.get(`${kind.name} ${nodes}`) ?? []) })),
  );
}

/** What is to be hit has to be there for each account. */
async function warm(
  {
    nodes,
    generators,
  }: { readonly nodes: readonly StartedProgram[]; readonly generators: readonly LoadGenerator[] },
  order: Omit<LoadOrder, "port">,
  bearers: readonly Bearer[],
): Promise<void> {
  if (order.numbered === true) return;
  const port = Number(nodes[0]?.line);
  await generators[0]?.run({ ...order, port, connections: 1, answers: bearers.length });
}

interface Trips {
  readonly kind: Kind;
  readonly postgres: number;
  readonly redis: number;
}

async function measureTrips({
  engine,
  node,
  generator,
  databaseUrl,
  redisUrl,
}: ClusterNodeOptions & {
  readonly engine: Engine;
  readonly node: StartedProgram | undefined;
  readonly generator: LoadGenerator | undefined;
}): Promise<Trips[]> {
  const trips: Trips[] = [];
  for (const kind of KINDS) {
    const order = {
      ...kind.order(await newBearers(engine, Math.ceil(COUNTED / HITS_PER_ACCOUNT) + 1)),
      connections: 1,
      port: Number(node?.line),
    };
    await generator?.run({ ...order, answers: 20 });
    const counted = await countRoundTrips({ databaseUrl, redisUrl }, async () => {
      await generator?.run({
        ...order,
        ...(order.numbered && { path: `${order.path}counted-` }),
        answers: COUNTED,
      });
    });
    trips.push({ kind, postgres: each(counted.postgres), redis: each(counted.redis) });
  }
  return trips;
}

/** To a tenth: what the processes ask by themselves meanwhile is less than that. */
function each(counted: number): number {
  return Math.round((counted * 10) / COUNTED) / 10;
}

function report(speeds: readonly Speed[], trips: readonly Trips[]): Findings {
  return {
    figures: trips.flatMap(({ kind, postgres, redis }) => [
      {
        name: `round trips to PostgreSQL for one of the ${kind.name}`,
        value: postgres,
        target: { atMost: kind.roundTrips.postgres },
      },
      {
        name: `round trips to Redis for one of the ${kind.name}`,
        value: redis,
        target: { atMost: kind.roundTrips.redis },
      },
    ]),
    tables: [
      {
        columns: ["what", "api processes", "a second"],
        rows: speeds.map(({ kind, nodes, perSecond }) => [kind.name, String(nodes), rounded(perSecond)]),
      },
    ],
  };
}
