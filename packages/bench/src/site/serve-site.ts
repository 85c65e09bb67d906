import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { drawPng } from "./draw-png.ts";
import { PAGES } from "./pages.ts";

// Serves the fixture pages in a separate process, and prints the port.
const IMAGE_SIDE_PX = 120;
const SOON_MS = 100;
const SOON = JSON.stringify(Array.from({ length: 24 }, (_, index) => `Entry ${index} of a list`));
const fonts = new Map([
  ["400", readFileSync(new URL(import.meta.resolve("@fontsource/inter/files/inter-latin-400-normal.woff2")))],
  ["700", readFileSync(new URL(import.meta.resolve("@fontsource/inter/files/inter-latin-700-normal.woff2")))],
]);
const images = new Map<string, Buffer>();
const pages = new Map(Object.entries(PAGES).map(([name, html]) => [`/${name}`, Buffer.from(html)]));

function imageOf(number: string): Buffer {
  const image = images.get(number) ?? drawPng(Number(number), IMAGE_SIDE_PX);
  images.set(number, image);
  return image;
}

const server = createServer(({ url = "/" }, response) => {
  const path = url.split("?", 1)[0] ?? "/";
  const page = pages.get(path);
  const [, folder, name = ""] = /^\/(image|font)\/(\w+)[.]/.exec(path) ?? [];
  const font = folder === "font" ? fonts.get(name) : undefined;
  if (page !== undefined) response.setHeader("content-type", "text/html").end(page);
  else if (folder === "image") response.setHeader("content-type", "image/png").end(imageOf(name));
  else if (font !== undefined) response.setHeader("content-type", "font/woff2").end(font);
  else if (path === "/soon.json")
    setTimeout(() => response.setHeader("content-type", "application/json").end(SOON), SOON_MS);
  else response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
