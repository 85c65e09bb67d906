import { describeSkew, isExcessiveSkew } from "./clocks/clock-skew.ts";
import type { ClockWatch } from "./clocks/watch-clocks.ts";
import { messageOf } from "./errors.ts";
import type { Clock } from "./ports/clock.ts";
import type { Renderer, RendererHealth } from "./ports/renderer.ts";
import type { Storage } from "./ports/storage.ts";

export interface Health {
  readonly ready: boolean;
  /**
   * Why the engine is not ready, for the operator; empty if it is. Each starts with `storage: `,
   * `renderer: ` or `clock: `.
   */
  readonly reasons: readonly string[];
  /** The renderer's own report; `null` if it made none. */
  readonly renderer: RendererHealth | null;
}

/** Within the two seconds of `Engine.health`, and shorter than the timeouts of connections to a hanging server. */
const RESPONSE_LIMIT_MS = 1_500;

/** Returns a function that checks the engine's dependencies in at most `RESPONSE_LIMIT_MS`. */
export function createHealthCheck({
  storage,
  renderer,
  clocks,
  clock,
}: {
  readonly storage: Pick<Storage, "check" | "clocks">;
  readonly renderer: Pick<Renderer, "health">;
  readonly clocks: ClockWatch;
  readonly clock: Clock;
}): () => Promise<Health> {
  const checkStorage = limitTime(clock, () => storage.check());
  const checkRenderer = limitTime(clock, () => renderer.health());
  const measureClocks = limitTime(clock, () => clocks.measured);
  return async () => {
    const [storageCheck, rendererCheck, measurement] = await Promise.allSettled([
      checkStorage(),
      checkRenderer(),
      measureClocks(),
    ]);
    const reasons: string[] = [];
    if (storageCheck.status === "rejected") reasons.push(`storage: ${messageOf(storageCheck.reason)}`);
    if (rendererCheck.status === "rejected") reasons.push(`renderer: ${messageOf(rendererCheck.reason)}`);
    else if (!rendererCheck.value.ready)
      reasons.push(`renderer: ${rendererCheck.value.reason ?? "not ready"}`);
    if (measurement.status === "rejected") {
      const servers = (storage.clocks ?? []).map(({ name }) => name).join(" and ");
      reasons.push(`clock: not compared with ${servers} yet: ${messageOf(measurement.reason)}`);
    }
    for (const skew of clocks.skews().filter(isExcessiveSkew)) reasons.push(`clock: ${describeSkew(skew)}`);
    const reported = rendererCheck.status === "fulfilled" ? rendererCheck.value : null;
    return { ready: reasons.length === 0, reasons, renderer: reported };
  };
}

/**
 * Returns a function that calls `work`, and rejects if it takes too long. It joins a call that is still running, so
 * checks of a hanging server do not use up all connections.
 */
function limitTime<T>(clock: Clock, work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    let cancel = (): void => {};
    const late = new Promise<never>((_, reject) => {
      const seconds = RESPONSE_LIMIT_MS / 1000;
      cancel = clock.after(RESPONSE_LIMIT_MS, () => reject(new Error(`no response within ${seconds} s`)));
    });
    return Promise.race([running, late]).finally(() => cancel());
  };
}
