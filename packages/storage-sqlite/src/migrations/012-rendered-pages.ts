/** The document that was rendered, as a JSON object; null if an older release has cached the rendering. */
export const renderedPages = `
ALTER TABLE renderings ADD COLUMN page TEXT;
`;
