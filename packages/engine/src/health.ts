import { describeSkew, isExcessiveSkew } from "./clocks/clock-skew.ts";
import type { ClockWatch } from "./clocks/watch-clocks.ts";
import type { Renderer, RendererHealth } from "./ports/renderer.ts";
import type { Storage } from "./ports/storage.ts";

export interface Health {
  readonly ready: boolean;
  /** Why it is not ready, for the log: each begins with `storage: `, `renderer: ` or `clock: `. */
  readonly reasons: readonly string[];
  /** The renderer's own report; `null` if it made none. */
  readonly renderer: RendererHealth | null;
}

export async function checkHealth({
  storage,
  renderer,
  clocks,
}: {
  readonly storage: Pick<Storage, "check">;
  readonly renderer: Pick<Renderer, "health">;
  readonly clocks: ClockWatch;
}): Promise<Health> {
  const [storageCheck, rendererCheck] = await Promise.allSettled([
    storage.check(),
    renderer.health(),
    clocks.measured,
  ]);
  const reasons: string[] = [];
  if (storageCheck.status === "rejected") reasons.push(`storage: ${String(storageCheck.reason)}`);
  if (rendererCheck.status === "rejected") reasons.push(`renderer: ${String(rendererCheck.reason)}`);
  else if (!rendererCheck.value.ready) reasons.push(`renderer: ${rendererCheck.value.reason ?? "not ready"}`);
  for (const skew of clocks.skews().filter(isExcessiveSkew)) reasons.push(`clock: ${describeSkew(skew)}`);
  const reported = rendererCheck.status === "fulfilled" ? rendererCheck.value : null;
  return { ready: reasons.length === 0, reasons, renderer: reported };
}
