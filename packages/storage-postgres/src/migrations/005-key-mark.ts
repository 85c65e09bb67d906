/** What tells another secret key: the first who opens the database leaves it. */
export const keyMark = `
CREATE TABLE snap.key_mark (
  is_only BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  mark TEXT NOT NULL
);
`;
