import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { openPort, type OpenPort } from "../../../testing/test/servers/open-port.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const FILES = join(import.meta.dirname, "files");
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".js": "text/javascript",
  ".ttf": "font/ttf",
  ".webm": "video/webm",
};

/**
 * Serves `pages` by name, and their resources, on the loopback interface. `?after=500` delays a
 * response by 500 ms, and `/never` never responds.
 */
export function openSite(pages: ReadonlyMap<string, string | Handler>): Promise<OpenPort> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    const delayMs = Number(url.searchParams.get("after") ?? 0);
    setTimeout(() => respond(url.pathname), delayMs);

    function respond(path: string): void {
      const [, kind = "", name = ""] = path.split("/");
      const page = pages.get(kind);
      if (typeof page === "function") page(request, response);
      else if (page !== undefined) sendHtml(response, page);
      else if (kind === "color") sendHtml(response, `<body style="background:#${name}">`);
      else if (kind === "image") sendImage(response, `#${name}`);
      else if (kind === "files") void sendFile(response, name);
      else if (kind !== "never") response.writeHead(404).end();
    }
  });
  return openPort(server);
}

export function sendHtml(response: ServerResponse, html: string, status = 200): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
}

function sendImage(response: ServerResponse, color: string): void {
  response.setHeader("content-type", "image/svg+xml");
  response.end(
    `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" preserveAspectRatio="none"><rect width="100%" height="100%" fill="${color}"/></svg>`,
  );
}

async function sendFile(response: ServerResponse, name: string): Promise<void> {
  const type = CONTENT_TYPES[extname(name)];
  if (type === undefined) return void response.writeHead(404).end();
  response.setHeader("content-type", type).end(await readFile(join(FILES, name)));
}
