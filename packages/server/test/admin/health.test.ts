import { describe, expect, it } from "vitest";
import { until } from "../cli/command.ts";
import { openAdmin } from "./open-admin.ts";

const MINUTE_MS = 60_000;

interface Health {
  readonly ready: boolean;
  readonly problems: readonly { readonly status: string; readonly code: string }[];
  readonly today: { readonly renders: number };
  readonly activity: readonly { readonly at: string; readonly renders: number; readonly failures: number }[];
}

describe("the health of the service", () => {
  it("includes the current state, today's totals and the activity of the last hour", async () => {
    const service = await openAdmin();
    const { token } = await service.customer();
    await service.snap({ url: "https://example.com/" }, { token });
    await service.snap({ url: "https://example.com/" }, { token });
    await service.snap({ url: "https://inside.example.com/" }, { token });
    service.clock.advance(1000);
    const health = (await until(
      () => service.read("/health"),
      (state) => (state as Health).today.renders === 1,
    )) as Health;
    expect(health).toEqual({
      version: "0.0.0",
      ready: true,
      problems: [],
      renders: { running: 0, waiting: 0 },
      batches: { queued_items: 0, rendering_items: 0, open_deliveries: 0 },
      cache: { bytes: expect.any(Number), max_bytes: expect.any(Number), free_bytes: expect.any(Number) },
      last_backup_at: null,
      history: true,
      today: { renders: 1, hits: 1, failures: 1, credits: 1 },
      failures: [{ code: "blocked_host", count: 1 }],
      activity: expect.any(Array),
    });
    const instants = health.activity.map(({ at }) => Date.parse(at));
    expect(instants).toHaveLength(60);
    const [first = 0] = instants;
    expect(first % MINUTE_MS).toBe(0);
    expect(instants).toEqual(instants.map((_, index) => first + index * MINUTE_MS));
    const sum = health.activity.reduce((total, { renders, failures }) => total + renders + failures, 0);
    expect(sum).toBe(2);
  });

  it("lists problems and how to fix them, the most severe first", async () => {
    const problem = { status: "warning", code: "sandbox_off", message: "off", advice: "on" } as const;
    const { renderer, read } = await openAdmin({ admin: { problems: [problem], expectsBackups: true } });
    renderer.setUnready("the browser does not start");
    const health = (await read("/health")) as Health;
    expect(health.ready).toBe(false);
    expect(health.problems).toEqual([
      {
        status: "problem",
        code: "browser_fails",
        message: "the browser does not start",
        advice: "run `snap-server doctor` where the service runs",
      },
      {
        status: "warning",
        code: "backup_missing",
        message: "there is no backup yet",
        advice: "run `snap-server backup FILE` every day, and store the file on another machine",
      },
      problem,
    ]);
  });

  it("is available while the storage fails, and reports the failure", async () => {
    const service = await openAdmin({ admin: { expectsBackups: true } });
    const fail = (): Promise<never> => Promise.reject(new Error("disk I/O error"));
    const { embedded } = service;
    Object.assign(embedded, { check: fail, lastBackupAt: fail });
    Object.assign(embedded.batches, { stats: fail });
    Object.assign(embedded.history, { usage: fail, failures: fail, activity: fail });
    const health = await service.read("/health");
    expect(health).toMatchObject({ ready: false, batches: null, today: { renders: 0 }, failures: [] });
    expect((health as Health).problems).toContainEqual(
      expect.objectContaining({ status: "problem", code: "storage_fails", message: "disk I/O error" }),
    );
    // a backup may exist: only reading its time failed
    expect((health as Health).problems.map(({ code }) => code)).not.toContain("backup_missing");
  });
});
