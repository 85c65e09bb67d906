/**
 * Lets new renderings store their bytes in files, which are named after the row, and tracks the cached bytes of each
 * account. Existing rows keep their bytes until they expire.
 */
export const renderingFiles = `
-- Size of the row's file; NULL if the bytes are in the row itself. It comes after the column bytes, because placing it
-- before that column would require copying the table.
ALTER TABLE renderings ADD COLUMN size INTEGER;
CREATE INDEX renderings_by_age ON renderings (account_id, stored_at);

CREATE TABLE cache_accounts (
  account_id TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cache_accounts_by_bytes ON cache_accounts (bytes);
CREATE TABLE cache_total (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL) STRICT;
INSERT INTO cache_accounts SELECT account_id, sum(length(bytes) + 4096) FROM renderings GROUP BY account_id;
INSERT INTO cache_total SELECT 1, coalesce(sum(bytes), 0) FROM cache_accounts;

-- The triggers look up the size by rowid: length(bytes) of a stored row does not load the BLOB's pages, but
-- length(OLD.bytes) would load the whole BLOB. 4096 is the overhead counted for each rendering.
CREATE VIEW rendering_sizes AS SELECT rowid AS id, coalesce(size, length(bytes)) + 4096 AS bytes FROM renderings;
CREATE TRIGGER cached_renderings_count AFTER INSERT ON renderings
BEGIN
  INSERT INTO cache_accounts SELECT NEW.account_id, bytes FROM rendering_sizes WHERE id = NEW.rowid
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
  UPDATE cache_total SET bytes = bytes + (SELECT bytes FROM rendering_sizes WHERE id = NEW.rowid);
END;
CREATE TRIGGER deleted_renderings_do_not_count BEFORE DELETE ON renderings
BEGIN
  UPDATE cache_accounts SET bytes = bytes - (SELECT bytes FROM rendering_sizes WHERE id = OLD.rowid)
    WHERE account_id = OLD.account_id;
  DELETE FROM cache_accounts WHERE account_id = OLD.account_id AND bytes = 0;
  UPDATE cache_total SET bytes = bytes - (SELECT bytes FROM rendering_sizes WHERE id = OLD.rowid);
END;
`;
