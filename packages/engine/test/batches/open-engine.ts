import {
  createFakeClock,
  createFakeMachine,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createFakeWebhookSender,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
  type FakeWebhookSender,
} from "@snap/testing";
import type { RenderBatch } from "@snap/protocol";
import { onTestFinished } from "vitest";
import type { DeliveryAttempt } from "../../src/batches/deliver.ts";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import type { EngineOptions } from "../../src/engine-options.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { Ability, Principal } from "../../src/ports/tokens.ts";

export const START_MS = Date.parse("2026-03-01T12:00:00Z");
export const WEBHOOK_URL = "https://hooks.example.com/snap?secret=1";

export interface BatchBench {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly renderer: FakeRenderer;
  readonly sender: FakeWebhookSender;
  readonly attempts: DeliveryAttempt[];
  readonly errors: unknown[];
  /** Opens another engine with the same storage, clock, renderer and sender. */
  open(options?: Partial<EngineOptions>): Engine;
  customer(options?: CustomerOptions): Promise<Customer>;
  submit(principal: Principal, paths: readonly string[], webhookUrl?: string): Promise<RenderBatch>;
  /** Advances the clock in steps until the batch meets the condition. */
  until(
    request: { principal: Principal; batchId: string },
    condition: (batch: RenderBatch) => boolean,
  ): Promise<RenderBatch>;
  /** Advances the clock in steps of 100 ms. */
  advance(ms: number): Promise<void>;
}

export interface CustomerOptions {
  readonly credits?: number;
  readonly requestsPerMinute?: number;
  readonly abilities?: readonly Ability[];
}

export interface Customer extends Principal {
  readonly signingSecret: string;
}

/** Opens an engine for batches, with in-memory storage and fakes for all external systems. */
export function openBatchBench(options: Partial<EngineOptions> = {}): BatchBench {
  const clock = createFakeClock(START_MS);
  const storage = createMemoryStorage();
  const sender = createFakeWebhookSender();
  const renderer = createFakeRenderer();
  const attempts: DeliveryAttempt[] = [];
  const errors: unknown[] = [];
  let engineCount = 0;
  const open = (more: Partial<EngineOptions> = {}): Engine => {
    const engine = createEngine({
      storage,
      renderer,
      webhookSender: sender,
      secretKey: "a key for these tests",
      baseUrl: "https://snap.example.com/v1",
      concurrency: 4,
      clock,
      machine: createFakeMachine(),
      random: createFakeRandom((engineCount += 1)),
      resolver: createFakeResolver({
        "example.com": ["93.184.215.14"],
        "hooks.example.com": ["93.184.215.15"],
        "inside.example.com": ["10.0.0.1"],
      }),
      onDeliveryAttempt: (attempt) => attempts.push(attempt),
      onBackgroundError: (error) => errors.push(error),
      ...options,
      ...more,
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  const engine = open();
  const advance = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      await flushMicrotasks();
      clock.advance(Math.min(100, ms - passed));
    }
    await flushMicrotasks();
  };
  return {
    engine,
    storage,
    clock,
    renderer,
    sender,
    attempts,
    errors,
    open,
    advance,
    async customer({ credits = 1000, requestsPerMinute = 1000, abilities } = {}) {
      const account = await engine.accounts.create({
        email: `${crypto.randomUUID()}@example.com`,
        planSlug: "starter",
        creditsPerPeriod: credits,
        requestsPerMinute,
        verified: true,
      });
      const { record, signingSecret } = await engine.tokens.create({
        accountId: account.id,
        ...(abilities && { abilities }),
      });
      return { account, token: record, balance: null, signingSecret };
    },
    submit(principal, paths, webhookUrl) {
      const items = paths.map((path) => ({ url: `https://example.com/${path}` }));
      return engine.batches.submit({ principal, document: { items, ...(webhookUrl && { webhookUrl }) } });
    },
    async until(request, condition) {
      for (let step = 0; step < 100_000; step += 1) {
        await flushMicrotasks();
        const batch = await engine.batches.get(request);
        if (condition(batch)) return batch;
        clock.advance(100);
      }
      throw new Error("the batch did not reach the expected state");
    },
  };
}

/** Waits for one turn of the event loop, in which all pending microtasks run. */
export function flushMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function isComplete({ status }: RenderBatch): boolean {
  return status === "complete";
}
