/** The fingerprint of the secret key, to detect another key. The first process that opens the database stores it. */
export const keyMark = `
CREATE TABLE snap.key_mark (
  is_only BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  mark TEXT NOT NULL
);
`;
