/** The media types of renderings, and the extensions of their files. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/avif": "avif",
  "application/pdf": "pdf",
};

/**
 * Gives a rendering a media type that cannot run scripts, whatever its response claims, because a `blob:` URL has the
 * console's origin.
 */
export function safeFile(file: Blob): Blob {
  const [type = ""] = file.type.split(";");
  return new Blob([file], { type: Object.hasOwn(EXTENSIONS, type) ? type : "application/octet-stream" });
}
