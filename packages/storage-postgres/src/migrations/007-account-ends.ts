/**
 * Adds suspensions and deletions of accounts, and allows whole periods to be pruned from the ledger. Adds
 * columns, a table, indexes and functions, and replaces a trigger with less strict ones, and functions with
 * ones that older releases can call.
 */
export const accountEnds = `
ALTER TABLE snap.accounts ADD COLUMN suspended_at BIGINT, ADD COLUMN deletion_started_at BIGINT;

-- Accounts that are being deleted, or were in the last day: nothing new is stored for them.
CREATE TABLE snap.deletions (
  -- SHA-256 of the account id, so no id remains.
  digest BYTEA PRIMARY KEY,
  deleted_at BIGINT NOT NULL
);
CREATE FUNCTION snap.digest_of(in_account TEXT) RETURNS BYTEA LANGUAGE SQL IMMUTABLE AS $$
  SELECT sha256(convert_to(in_account, 'UTF8'))
$$;
-- Locks the account first, so its deletion cannot start until the caller has committed. The second statement sees
-- a deletion that was committed while the first one waited.
CREATE FUNCTION snap.is_deleted(in_account TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM snap.accounts WHERE id = in_account FOR SHARE;
  RETURN EXISTS (SELECT 1 FROM snap.deletions WHERE digest = snap.digest_of(in_account));
END $$;

CREATE INDEX batches_by_account ON snap.batches (account_id);
-- Renders change neither column, so the index costs them nothing.
CREATE INDEX balances_by_period ON snap.balances (period_started_at);

-- An entry may be deleted only after the balance that it proves.
DROP TRIGGER journal_keeps_its_lines ON snap.journal;
CREATE TRIGGER journal_keeps_its_lines BEFORE UPDATE OR TRUNCATE ON snap.journal
  FOR EACH STATEMENT EXECUTE FUNCTION snap.refuse_change();
CREATE FUNCTION snap.keep_whole_period() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM snap.balances
    WHERE account_id = OLD.account_id AND period_started_at = OLD.period_started_at)
  THEN RAISE EXCEPTION 'the journal is append-only'; END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER journal_keeps_whole_periods BEFORE DELETE ON snap.journal
  FOR EACH ROW EXECUTE FUNCTION snap.keep_whole_period();

-- As in 002-ledger.ts, but opens no period for an account that is being deleted: returns NULL.
CREATE OR REPLACE FUNCTION snap.bring_up_to_date(
  in_account TEXT, in_period BIGINT, in_granted BIGINT, in_now BIGINT
) RETURNS snap.balances LANGUAGE plpgsql AS $$
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
    IF NOT EXISTS (SELECT 1 FROM snap.balances WHERE account_id = in_account AND period_started_at = in_period) THEN
      IF snap.is_deleted(in_account) THEN RETURN NULL; END IF;
      INSERT INTO snap.balances (account_id, period_started_at, granted) VALUES (in_account, in_period, 0)
        ON CONFLICT DO NOTHING;
    END IF;
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
    -- Deleted while this call waited for its lock.
    IF NOT FOUND THEN RETURN NULL; END IF;
  END IF;
  IF balance.granted <> in_granted THEN
    INSERT INTO snap.journal (account_id, period_started_at, kind, credits, at)
      VALUES (in_account, in_period, 'grant', in_granted - balance.granted, in_now);
    UPDATE snap.balances SET granted = in_granted
      WHERE account_id = in_account AND period_started_at = in_period RETURNING * INTO balance;
  END IF;
  RETURN balance;
END $$;

CREATE OR REPLACE FUNCTION snap.reserve(
  in_account TEXT, in_period BIGINT, in_granted BIGINT, in_now BIGINT, in_reservation TEXT, in_lapses_at BIGINT,
  OUT is_reserved BOOLEAN, OUT balance snap.balances
) LANGUAGE plpgsql AS $$
DECLARE
  known snap.reservations;
BEGIN
  balance := snap.bring_up_to_date(in_account, in_period, in_granted, in_now);
  IF (balance).account_id IS NULL THEN
    is_reserved := FALSE;
    RETURN;
  END IF;
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

-- Ends an open reservation; returns how it ended, now or before. One whose balance was deleted is unknown.
CREATE OR REPLACE FUNCTION snap.end_reservation(in_reservation TEXT, wanted TEXT, in_now BIGINT) RETURNS TEXT
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
    IF NOT FOUND THEN RETURN 'unknown'; END IF;
    -- Under the lock: another call may have ended or deleted it while this one waited.
    SELECT * INTO reservation FROM snap.reservations WHERE id = in_reservation;
    IF NOT FOUND THEN RETURN 'unknown'; END IF;
  END IF;
  IF reservation.state <> 'open' THEN RETURN reservation.state; END IF;
  ending := CASE WHEN reservation.lapses_at <= in_now THEN 'lapsed' ELSE wanted END;
  PERFORM snap.resolve(reservation, ending, in_now);
  RETURN ending;
END $$;
`;
