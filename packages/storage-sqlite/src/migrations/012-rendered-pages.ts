/** The rendered page (`PageFacts`), as a JSON object; NULL if unknown, as in rows from older releases. */
export const renderedPages = `
ALTER TABLE renderings ADD COLUMN page TEXT;
`;
