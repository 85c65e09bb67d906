/**
 * The origin of document URLs. The name never resolves (RFC 6761, 6.4): the service fulfills requests to it, over the
 * browser's DevTools connection.
 */
export const DOCUMENT_ORIGIN = "https://documents.snap.invalid";

/** The content types of an upload. */
export const DOCUMENT_TYPES = {
  html: "text/html",
  markdown: "text/markdown",
  zip: "application/zip",
  multipart: "multipart/form-data",
} as const;
