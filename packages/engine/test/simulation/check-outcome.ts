import { recordCharge } from "./check-charge.ts";
import type { Outcome, ClientRequest, ReservationRecord } from "./history.ts";
import type { World } from "./world.ts";

/** Checks a response: a new rendering is charged once, and everything else is free. */
export function checkOutcome(world: World, request: ClientRequest, outcome: Outcome): void {
  const reservations = [...world.history.reservations.values()].filter(
    (reservation) => reservation.request === request,
  );
  const { id } = request;
  if (reservations.length > 1) world.reportViolation("a request reserves two credits", id);
  const [reservation] = reservations;
  if (world.conditions.isCalm) checkCalmOutcome(world, request, outcome);
  if (outcome.kind === "error") return checkFailure(world, request, reservation);
  const { etag, cache, creditCost } = outcome;
  const owner = world.history.stored.get(etag);
  if (owner !== undefined && owner !== request.accountId)
    world.reportViolation("a request gets another account's rendering", id);
  if (cache === "hit" && (creditCost !== 0 || reservation !== undefined))
    world.reportViolation("a cache hit costs a credit", id);
  if (creditCost === 1) {
    if (reservation?.end !== "settled")
      world.reportViolation("a response claims a charge that was not made", id);
    recordCharge(world, {
      ...request,
      process: request.process.name,
      etag,
      query: request.usesCache ? request.query : null,
    });
    return;
  }
  if (reservation?.end === "settled")
    world.reportViolation("a response claims to be free, but was charged", id);
}

/** Checks that without faults every rendering is charged, links work, and nothing fails in the service. */
function checkCalmOutcome(world: World, { id, isFromLink }: ClientRequest, outcome: Outcome): void {
  if (outcome.kind === "error") {
    if (outcome.code === "server_error") world.reportViolation("the service fails without a fault", id);
    if (isFromLink && outcome.code !== "signed_url_expired")
      world.reportViolation("a link does not work", id);
    return;
  }
  if (outcome.cache !== "hit" && outcome.creditCost === 0)
    world.reportViolation("a rendering is not charged", id);
  if (outcome.cache !== "hit" && isFromLink) world.reportViolation("a link causes a render", id);
}

/** Checks that a failed request was refunded before its response, unless the ledger failed. */
function checkFailure(
  world: World,
  request: ClientRequest,
  reservation: ReservationRecord | undefined,
): void {
  if (reservation === undefined || world.history.faultsOf(reservation.id).length > 0) return;
  if (reservation.end === null)
    world.reportViolation("a failed request is not refunded", request.id, reservation.id);
  if (reservation.end === "settled")
    world.reportViolation("a failed request is charged", request.id, reservation.id);
}
