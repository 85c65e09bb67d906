/** When the last backup was made, to monitor its age. */
export const backups = `
CREATE TABLE backups (id INTEGER PRIMARY KEY CHECK (id = 1), made_at INTEGER NOT NULL) STRICT;
`;
