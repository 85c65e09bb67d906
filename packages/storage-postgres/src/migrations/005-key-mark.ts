/** The fingerprint of the secret key, so a process that uses a different key is detected. */
export const keyMark = `
CREATE TABLE snap.key_mark (
  is_only BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  mark TEXT NOT NULL
);
`;
