/**
 * Adds the reversal of a settled reservation. NOT VALID skips a scan of both tables, whose rows satisfy the stricter old
 * constraints.
 */
export const reversals = `
ALTER TABLE snap.reservations DROP CONSTRAINT reservations_state_check, ADD CONSTRAINT reservations_state_check
  CHECK (state IN ('open', 'refused', 'settled', 'refunded', 'lapsed', 'reversed')) NOT VALID;
ALTER TABLE snap.journal DROP CONSTRAINT journal_kind_check, ADD CONSTRAINT journal_kind_check
  CHECK (kind IN ('grant', 'reserve', 'settle', 'refund', 'lapse', 'reverse')) NOT VALID;

-- Refunds an open reservation, reverses a settled one.
CREATE FUNCTION snap.reverse_reservation(in_reservation TEXT, in_now BIGINT) RETURNS TEXT
LANGUAGE plpgsql AS $$
DECLARE
  reservation snap.reservations;
  ending TEXT := snap.end_reservation(in_reservation, 'refunded', in_now);
BEGIN
  IF ending <> 'settled' THEN RETURN ending; END IF;
  SELECT * INTO reservation FROM snap.reservations WHERE id = in_reservation;
  PERFORM 1 FROM snap.balances
    WHERE account_id = reservation.account_id AND period_started_at = reservation.period_started_at FOR UPDATE;
  -- Under the lock: another call may have reversed it while this one waited.
  UPDATE snap.reservations SET state = 'reversed' WHERE id = in_reservation AND state = 'settled';
  IF FOUND THEN
    UPDATE snap.balances SET used = used - 1
      WHERE account_id = reservation.account_id AND period_started_at = reservation.period_started_at;
    INSERT INTO snap.journal (account_id, period_started_at, kind, credits, reservation_id, at)
      VALUES (reservation.account_id, reservation.period_started_at, 'reverse', 1, in_reservation, in_now);
  END IF;
  RETURN 'reversed';
END $$;
`;
