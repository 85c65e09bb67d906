import { createFakeMachine } from "@snap/testing";
import type { BatchWorker } from "../../src/batches/worker.ts";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { Connection, never } from "./connection.ts";
import { connectStorage } from "./connect-storage.ts";
import { requestContext } from "./history.ts";
import { createWebhookSender, createRenderer, createResolver } from "./fakes.ts";
import type { World } from "./world.ts";

export const ENGINE_OPTIONS = {
  secretKey: "a key for these tests",
  baseUrl: "https://snap.example.com/v1",
  machine: createFakeMachine(),
} as const;

/** Shorter than in production; waits, leases and webhook retries end within a simulated minute. */
export const DURATIONS = {
  maxWaitMs: 5000,
  reservationLeaseMs: 30_000,
  itemLeaseMs: 8000,
  batchRetentionMs: 86_400_000,
  historyRetentionMs: 3_600_000,
  webhookRetryDelaysMs: [1000, 5000],
} as const;

const DRAIN_TIMEOUT_MS = 60_000;

export interface ProcessOptions {
  readonly name: string;
  readonly clockOffsetMs: number;
  readonly hasWorker: boolean;
}

/** A process with its own engine, clock and memory. */
export class SimulatedProcess {
  readonly name: string;
  readonly engine: Engine;
  /** The difference between its clock and the true time. */
  clockOffsetMs: number;
  end: "killed" | "stopped" | null = null;
  isStopping = false;
  worker: BatchWorker | null = null;
  readonly #world: World;
  #suspendedUntil = 0;

  constructor(world: World, { name, clockOffsetMs, hasWorker }: ProcessOptions) {
    this.#world = world;
    this.name = name;
    this.clockOffsetMs = clockOffsetMs;
    const clock: Clock = {
      now: () => world.timeline.now + this.clockOffsetMs,
      after: (delayMs, wake) => this.#after(delayMs, wake),
    };
    this.engine = createEngine({
      ...ENGINE_OPTIONS,
      ...DURATIONS,
      storage: connectStorage(world, new Connection(world, this)),
      renderer: createRenderer(world, this),
      resolver: createResolver(world),
      webhookSender: createWebhookSender(world, this),
      batchRetryWindowMs: world.conditions.retryWindowMs,
      concurrency: world.draw.between(2, 3),
      // without leases, only this cache prevents a second render if the first ends during a lookup
      memoryCacheBytes: world.conditions.hasLeases ? world.draw.pick([1, 20_000, 1_000_000]) : 1_000_000,
      clock,
      random: { bytes: (size) => world.draw.bytes(size) },
      onBackgroundError: (error) => this.#report(error),
    });
    if (hasWorker) this.#startWorker();
  }

  get isAlive(): boolean {
    return this.end === null;
  }

  get isSuspended(): boolean {
    return this.#suspendedUntil > this.#world.timeline.now;
  }

  /** Resolves with `value` after `delayMs`; later during a suspension, never after the end. */
  async receive<T>(delayMs: number, value?: T): Promise<T> {
    if (delayMs > 0 || this.isSuspended)
      await new Promise<void>((resolve) => void this.#after(delayMs, resolve));
    return this.isAlive ? (value as T) : never();
  }

  suspend(durationMs: number): void {
    this.#world.trace?.(this.name, `* is suspended for ${durationMs} ms`);
    this.#world.history.recordDisturbancesOf(this.name);
    this.#suspendedUntil = this.#world.timeline.now + durationMs;
  }

  kill(): void {
    if (!this.isAlive) return;
    this.#world.trace?.(this.name, "* is killed");
    this.#world.history.recordDisturbancesOf(this.name);
    this.end = "killed";
  }

  /** Stops like the server on SIGTERM, or like a program that closes its engine. */
  async stop(): Promise<void> {
    if (!this.isAlive || this.isStopping) return;
    this.isStopping = true;
    const { trace, timeline, draw } = this.#world;
    trace?.(this.name, "* stops");
    // the server waits for responses first; a program that embeds the engine can close it while captures run
    if (draw.chance(0.7)) await this.#drain();
    else await timeline.pause(100);
    await this.engine.close();
    if (!this.isAlive) return;
    trace?.(this.name, "* has stopped");
    this.end = "stopped";
  }

  async #drain(): Promise<void> {
    const { timeline, history } = this.#world;
    const endsAt = timeline.now + DRAIN_TIMEOUT_MS;
    const isBusy = (): boolean =>
      history.requests.some(({ process, outcome }) => process === this && outcome === null);
    const worker = this.worker?.stop();
    while (isBusy() && timeline.now < endsAt) await timeline.pause(100);
    await Promise.race([worker, timeline.pause(endsAt - timeline.now)]);
  }

  #after(delayMs: number, wake: () => void): () => void {
    const { timeline } = this.#world;
    let cancel = (): void => {};
    const wakeUnlessSuspended = (): void => {
      if (!this.isAlive) return;
      const suspendedMs = this.#suspendedUntil - timeline.now;
      if (suspendedMs > 0) cancel = timeline.after(suspendedMs, wakeUnlessSuspended);
      else wake();
    };
    cancel = timeline.after(delayMs, wakeUnlessSuspended);
    return () => cancel();
  }

  /** A request can wake the worker, but the worker's calls do not belong to the request. */
  #startWorker(): void {
    this.worker = this.engine.startWorker();
    const { wake } = this.worker;
    Object.assign(this.worker, { wake: () => requestContext.exit(wake) });
  }

  #report(error: unknown): void {
    const { trace, history } = this.#world;
    const text = String(error);
    trace?.(this.name, `reports ${text}`);
    const [, reservationId] = /^Error: reservation (\w+) may still be charged/.exec(text) ?? [];
    if (reservationId !== undefined) history.maybeCharged.add(reservationId);
  }
}
