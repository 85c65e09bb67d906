import type { World } from "./world.ts";

/** The charge of a request or a batch item. */
export interface Charge {
  readonly id: string;
  readonly accountId: string;
  readonly process: string;
  readonly etag: string;
  /** `null` if the capture is not cached. */
  readonly query: string | null;
}

/** The shortest `cacheTtl` in the simulation, minus a second between storing and charging. */
const SHORTEST_TTL_MS = 59_000;

/** Records a charge; checks that its rendering is charged once and, without faults, shared by identical captures. */
export function recordCharge(world: World, { id, accountId, process, etag, query }: Charge): void {
  const { conditions, history, timeline } = world;
  const other = history.charged.get(etag);
  if (other !== undefined && other !== id) world.reportViolation("a rendering is charged twice", other, id);
  if (!history.rendered.has(etag)) world.reportViolation("a charge has no rendering", id);
  history.charged.set(etag, id);
  if (query === null || !conditions.isCalm) return;
  const captureKey = `${accountId} ${query}`;
  const last = history.lastCharges.get(captureKey);
  history.lastCharges.set(captureKey, { at: timeline.now, process });
  if (last === undefined || timeline.now - last.at > SHORTEST_TTL_MS - 2 * conditions.clockBoundMs) return;
  if (conditions.hasLeases || process === last.process)
    world.reportViolation("identical captures are charged twice", id, accountId);
}
