/** Media types by extension. Text is served as UTF-8. */
const TEXT: Readonly<Record<string, string>> = {
  html: "text/html",
  htm: "text/html",
  xhtml: "application/xhtml+xml",
  md: "text/markdown",
  markdown: "text/markdown",
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  map: "application/json",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  xml: "application/xml",
  txt: "text/plain",
  csv: "text/csv",
  vtt: "text/vtt",
};
const BINARY: Readonly<Record<string, string>> = {
  png: "image/png",
  apng: "image/apng",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  ico: "image/x-icon",
  bmp: "image/bmp",
  woff: "font/woff",
  woff2: "font/woff2",
  ttf: "font/ttf",
  otf: "font/otf",
  mp4: "video/mp4",
  webm: "video/webm",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  wasm: "application/wasm",
  pdf: "application/pdf",
};

/** Returns the content type of a file, which depends only on its name. */
export function contentTypeOf(path: string): string {
  const extension = extensionOf(path);
  if (isText(path)) return `${TEXT[extension]}; charset=utf-8`;
  return Object.hasOwn(BINARY, extension) ? (BINARY[extension] ?? "") : "application/octet-stream";
}

/** Returns whether a file is served as UTF-8 text. */
export function isText(path: string): boolean {
  return Object.hasOwn(TEXT, extensionOf(path));
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot + 1).toLowerCase();
}
