/**
 * Values of `answer`, which selects what `GET /snap` and `POST /captures` return: the file, or a `RenderingDocument`. It
 * is not in the parameter table, because it affects the response, not the rendering.
 */
export const ANSWERS = ["file", "json"] as const;

export type Answer = (typeof ANSWERS)[number];
