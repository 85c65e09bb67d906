import type { Resolution } from "../../src/ports/ledger.ts";
import type { ReservationRecord } from "./history.ts";
import type { World } from "./world.ts";

/** Records how a reservation ended, and checks that the rendering was stored before it was charged. */
export function recordEnd(world: World, id: string, resolution: Resolution): ReservationRecord | null {
  const { history } = world;
  const reservation = history.reservations.get(id);
  if (reservation === undefined) return null;
  const { request } = reservation;
  const isNewlySettled = resolution === "settled" && reservation.end !== "settled";
  reservation.end = resolution;
  if (isNewlySettled && request?.usesCache && request.storedEtag === null)
    world.reportViolation("a rendering is charged before it is stored", request.id, id);
  return reservation;
}
