/** Uploaded documents. The bytes of a document's files are joined in one file, which is named after the row. */
export const documents = `
CREATE TABLE documents (
  sequence INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  content_type TEXT NOT NULL,
  -- Size of its file.
  bytes INTEGER NOT NULL,
  files INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (account_id, id)
) STRICT;
CREATE INDEX documents_by_expiry ON documents (expires_at);

CREATE TABLE document_files (
  document INTEGER NOT NULL REFERENCES documents (sequence) ON DELETE CASCADE,
  path TEXT NOT NULL,
  content_type TEXT NOT NULL,
  -- Of its first byte in the file of the document.
  position INTEGER NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (document, path)
) STRICT, WITHOUT ROWID;
`;
