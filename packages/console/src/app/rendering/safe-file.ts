const TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/avif",
  "image/avif",
  "application/pdf",
]);

/**
 * Gives a rendering a media type that cannot run scripts, whatever its response claims, because a `blob:` URL has the
 * console's origin.
 */
export function safeFile(file: Blob): Blob {
  const [type = ""] = file.type.split(";");
  return new Blob([file], { type: TYPES.has(type) ? type : "application/octet-stream" });
}
