/** When the last backup was made, so that its age can be watched. */
export const backups = `
CREATE TABLE backups (id INTEGER PRIMARY KEY CHECK (id = 1), made_at INTEGER NOT NULL) STRICT;
`;
