/**
 * The ledger's operations as functions, so each is one statement: one round trip, one transaction. A function locks
 * the balance of a period before it changes its credits, and locks several in order of time, so there are no deadlocks.
 * Under READ COMMITTED, each statement sees what was committed while the previous one waited.
 */
export const ledger = `
CREATE FUNCTION snap.resolve(reservation snap.reservations, ending TEXT, in_now BIGINT) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE snap.reservations SET state = ending WHERE id = reservation.id;
  UPDATE snap.balances SET reserved = reserved - 1, used = used + CASE ending WHEN 'settled' THEN 1 ELSE 0 END
    WHERE account_id = reservation.account_id AND period_started_at = reservation.period_started_at;
  INSERT INTO snap.journal (account_id, period_started_at, kind, credits, reservation_id, at)
    VALUES (
      reservation.account_id, reservation.period_started_at,
      CASE ending WHEN 'settled' THEN 'settle' WHEN 'refunded' THEN 'refund' ELSE 'lapse' END,
      1, reservation.id, in_now
    );
END $$;

-- Locks the balance, opens the period, applies a changed grant, and lapses overdue reservations.
CREATE FUNCTION snap.bring_up_to_date(in_account TEXT, in_period BIGINT, in_granted BIGINT, in_now BIGINT)
RETURNS snap.balances LANGUAGE plpgsql AS $$
DECLARE
  balance snap.balances;
  overdue snap.reservations;
  held BIGINT[];
BEGIN
  SELECT * INTO balance FROM snap.balances
    WHERE account_id = in_account AND period_started_at = in_period AND NOT EXISTS (
      SELECT 1 FROM snap.reservations WHERE account_id = in_account AND state = 'open' AND lapses_at <= in_now
    ) FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO snap.balances (account_id, period_started_at, granted) VALUES (in_account, in_period, 0)
      ON CONFLICT DO NOTHING;
    held := ARRAY(
      SELECT period_started_at FROM snap.balances
      WHERE account_id = in_account AND (period_started_at = in_period OR period_started_at IN (
        SELECT period_started_at FROM snap.reservations
        WHERE account_id = in_account AND state = 'open' AND lapses_at <= in_now
      )) ORDER BY period_started_at FOR UPDATE
    );
    -- Skips concurrent reservations in other periods: their balances are not locked.
    FOR overdue IN SELECT * FROM snap.reservations
      WHERE account_id = in_account AND state = 'open' AND lapses_at <= in_now AND period_started_at = ANY (held)
      ORDER BY lapses_at
    LOOP
      PERFORM snap.resolve(overdue, 'lapsed', in_now);
    END LOOP;
    SELECT * INTO balance FROM snap.balances WHERE account_id = in_account AND period_started_at = in_period;
  END IF;
  IF balance.granted <> in_granted THEN
    INSERT INTO snap.journal (account_id, period_started_at, kind, credits, at)
      VALUES (in_account, in_period, 'grant', in_granted - balance.granted, in_now);
    UPDATE snap.balances SET granted = in_granted
      WHERE account_id = in_account AND period_started_at = in_period RETURNING * INTO balance;
  END IF;
  RETURN balance;
END $$;

CREATE FUNCTION snap.read_balance(in_account TEXT, in_period BIGINT, in_granted BIGINT, in_now BIGINT)
RETURNS snap.balances LANGUAGE plpgsql AS $$
DECLARE
  balance snap.balances;
BEGIN
  SELECT * INTO balance FROM snap.balances
    WHERE account_id = in_account AND period_started_at = in_period AND granted = in_granted AND NOT EXISTS (
      SELECT 1 FROM snap.reservations WHERE account_id = in_account AND state = 'open' AND lapses_at <= in_now
    );
  IF FOUND THEN RETURN balance; END IF;
  RETURN snap.bring_up_to_date(in_account, in_period, in_granted, in_now);
END $$;

CREATE FUNCTION snap.reserve(
  in_account TEXT, in_period BIGINT, in_granted BIGINT, in_now BIGINT, in_reservation TEXT, in_lapses_at BIGINT,
  OUT is_reserved BOOLEAN, OUT balance snap.balances
) LANGUAGE plpgsql AS $$
DECLARE
  known snap.reservations;
BEGIN
  balance := snap.bring_up_to_date(in_account, in_period, in_granted, in_now);
  is_reserved := (balance).granted - (balance).used - (balance).reserved > 0;
  INSERT INTO snap.reservations (id, account_id, period_started_at, lapses_at, state) VALUES (
    in_reservation, in_account, in_period, in_lapses_at, CASE WHEN is_reserved THEN 'open' ELSE 'refused' END
  ) ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN
    SELECT * INTO known FROM snap.reservations WHERE id = in_reservation;
    is_reserved := known.state <> 'refused' AND known.account_id = in_account;
    RETURN;
  END IF;
  IF NOT is_reserved THEN RETURN; END IF;
  UPDATE snap.balances SET reserved = reserved + 1
    WHERE account_id = in_account AND period_started_at = in_period RETURNING * INTO balance;
  INSERT INTO snap.journal (account_id, period_started_at, kind, credits, reservation_id, at)
    VALUES (in_account, in_period, 'reserve', 1, in_reservation, in_now);
END $$;

-- Ends an open reservation; returns how it ended, now or before.
CREATE FUNCTION snap.end_reservation(in_reservation TEXT, wanted TEXT, in_now BIGINT) RETURNS TEXT
LANGUAGE plpgsql AS $$
DECLARE
  reservation snap.reservations;
  ending TEXT;
BEGIN
  SELECT * INTO reservation FROM snap.reservations WHERE id = in_reservation;
  -- For the caller, a rejected reservation never existed.
  IF NOT FOUND OR reservation.state = 'refused' THEN RETURN 'unknown'; END IF;
  IF reservation.state = 'open' THEN
    PERFORM 1 FROM snap.balances
      WHERE account_id = reservation.account_id AND period_started_at = reservation.period_started_at FOR UPDATE;
    -- Under the lock: another call may have ended it while this one waited.
    SELECT * INTO reservation FROM snap.reservations WHERE id = in_reservation;
  END IF;
  IF reservation.state <> 'open' THEN RETURN reservation.state; END IF;
  ending := CASE WHEN reservation.lapses_at <= in_now THEN 'lapsed' ELSE wanted END;
  PERFORM snap.resolve(reservation, ending, in_now);
  RETURN ending;
END $$;
`;
