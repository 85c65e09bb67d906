/** Uploaded documents with their files. Only adds tables and indexes. */
export const documents = `
CREATE TABLE snap.documents (
  sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  files INTEGER NOT NULL,
  stored_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  UNIQUE (account_id, id)
);
CREATE INDEX documents_by_expiry ON snap.documents (expires_at);

CREATE TABLE snap.document_files (
  document BIGINT NOT NULL REFERENCES snap.documents (sequence) ON DELETE CASCADE,
  path TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (document, path)
);
-- Most of the bytes are images and fonts, which are already compressed.
ALTER TABLE snap.document_files ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;
