import { createFakeClock, createFakeResolver, createMemoryStorage, type FakeClock } from "@snap/testing";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import { SnapError } from "../../src/errors.ts";
import type { BatchRecord } from "../../src/ports/batches.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { RenderedFile, Renderer } from "../../src/ports/renderer.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { WebhookOutcome, WebhookRequest, WebhookSender } from "../../src/ports/webhook-sender.ts";

/*
 * The world of the batch simulation: a shared storage, a manual clock, and processes that can crash before or after any
 * external call, or stall. All events derive from one seed.
 */

/** Generates numbers from 0 (inclusive) to 1 (exclusive) from a seed, with mulberry32. */
export function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface SimulatedProcess {
  readonly engine: Engine;
  readonly isAlive: () => boolean;
  kill(): void;
}

/** A request to a receiver, and its result. */
export interface Received {
  readonly request: WebhookRequest;
  readonly at: number;
  readonly acknowledged: boolean;
}

export interface World {
  readonly clock: FakeClock;
  readonly storage: Storage;
  readonly received: Received[];
  /** Every stored version of every batch, in order. */
  readonly history: BatchRecord[];
  /** Number of completed renders. */
  renderings: number;
  /** Whether a process crashed or stalled. */
  disturbed: boolean;
  start(): SimulatedProcess;
}

/** Chances of disturbances at each external call of a process. */
interface Chances {
  readonly crash: number;
  readonly stall: number;
}

const UNDISTURBED: Chances = { crash: 0, stall: 0 };
const DISTURBED: Chances = { crash: 0.004, stall: 0.006 };
/** Chance of a world without disturbances, in which every rendering is charged. */
const CALM_CHANCE = 0.15;
const FAILURE_CHANCE = 0.12;

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const RULES = { retentionMs: 86_400_000, retryWindowMs: 900_000, pausesMs: [1000, 5000, 30_000] };

export function createWorld(draw: () => number): World {
  const clock = createFakeClock(START_MS);
  const storage = createMemoryStorage();
  const chances = draw() < CALM_CHANCE ? UNDISTURBED : DISTURBED;
  const world: World = {
    clock,
    storage: recordStorage(storage, (batch) => world.history.push(batch)),
    received: [],
    history: [],
    renderings: 0,
    disturbed: false,
    start: () => startProcess(world, { draw, chances }),
  };
  return world;
}

/** Reports every stored version of a batch. */
function recordStorage(storage: Storage, onWritten: (batch: BatchRecord) => void): Storage {
  const { batches } = storage;
  return {
    ...storage,
    batches: {
      ...batches,
      async insert(batch) {
        await batches.insert(batch);
        onWritten(batch);
      },
      async change(request) {
        const batch = await batches.change(request);
        if (batch !== null) onWritten(batch);
        return batch;
      },
    },
  };
}

function startProcess(
  world: World,
  { draw, chances }: { readonly draw: () => number; readonly chances: Chances },
): SimulatedProcess {
  let alive = true;
  let stalledUntil = 0;
  const pendingForever = new Promise<never>(() => {});

  /** Makes an external call: waits while the process stalls, and may crash before or after the call. */
  const callExternal = async <T>(call: () => Promise<T>): Promise<T> => {
    if (draw() < chances.stall) {
      stalledUntil = world.clock.now() + draw() * 60_000;
      world.disturbed = true;
    }
    while (alive && stalledUntil > world.clock.now())
      await new Promise<void>((resolve) => {
        world.clock.after(stalledUntil - world.clock.now(), resolve);
      });
    if (draw() < chances.crash) crash();
    if (!alive) return pendingForever;
    const result = await call();
    if (draw() < chances.crash) crash();
    return alive ? result : pendingForever;
  };
  const crash = (): void => {
    alive = false;
    world.disturbed = true;
  };
  const guard = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== "function") return member;
        return (...values: unknown[]) => callExternal(async () => member.apply(target, values) as unknown);
      },
    });

  const clock: Clock = {
    now: () => world.clock.now(),
    after: (delayMs, wake) => world.clock.after(delayMs, () => alive && wake()),
  };
  const { storage } = world;
  const engine = createEngine({
    storage: {
      ...storage,
      accounts: guard(storage.accounts),
      tokens: guard(storage.tokens),
      ledger: guard(storage.ledger),
      renderings: guard(storage.renderings),
      rateLimiter: guard(storage.rateLimiter),
      batches: guard(storage.batches),
      close: async () => {},
    },
    renderer: guard(simulateRenderer(world, { clock, draw })),
    webhookSender: guard(simulateReceiver(world, draw)),
    secretKey: "a key for these tests",
    baseUrl: "https://snap.example.com/v1",
    concurrency: 3,
    clock,
    random: { bytes: (size) => Uint8Array.from({ length: size }, () => draw() * 256) },
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    batchRetentionMs: RULES.retentionMs,
    batchRetryWindowMs: RULES.retryWindowMs,
    webhookPausesMs: RULES.pausesMs,
  });
  engine.startWorker();
  return {
    engine,
    isAlive: () => alive,
    kill: () => {
      alive = false;
    },
  };
}

function simulateRenderer(
  world: World,
  { clock, draw }: { readonly clock: Clock; readonly draw: () => number },
): Renderer {
  return {
    async render(parameters): Promise<RenderedFile> {
      await new Promise<void>((resolve) => clock.after(draw() * 8000, resolve));
      if (draw() < FAILURE_CHANCE) throw new SnapError("render_timeout", "too slow");
      world.renderings += 1;
      const bytes = new TextEncoder().encode(JSON.stringify(parameters));
      return { bytes, contentType: "image/png", targetStatus: 200, notes: [] };
    },
    health: async () => ({ ready: true, reason: null }),
    close: async () => {},
  };
}

const OUTCOMES: readonly WebhookOutcome[] = [
  { kind: "responded", status: 204, retryAfterMs: null },
  { kind: "responded", status: 200, retryAfterMs: null },
  { kind: "responded", status: 500, retryAfterMs: null },
  { kind: "responded", status: 503, retryAfterMs: 20_000 },
  { kind: "failed", reason: "timed-out" },
  { kind: "responded", status: 410, retryAfterMs: null },
];

function simulateReceiver(world: World, draw: () => number): WebhookSender {
  return {
    async send(request) {
      const outcome = OUTCOMES[Math.floor(draw() * OUTCOMES.length)] ?? { kind: "failed", reason: "broken" };
      const acknowledged = outcome.kind === "responded" && outcome.status < 300;
      world.received.push({ request, at: world.clock.now(), acknowledged });
      return outcome;
    },
    async close() {},
  };
}
