/**
 * Values of `answer`, which selects what `GET /snap` and `POST /captures` return: the file, or a `RenderingDocument`. It
 * is not in the table, because it describes the response, not the rendering.
 */
export const ANSWERS = ["file", "json"] as const;
