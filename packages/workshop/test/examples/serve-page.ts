import { createServer } from "node:http";
import { listen, type ListeningServer } from "./listen.ts";

const PAGE = `<!doctype html><title>A page</title><body style="background: #0a7"><h1>A page</h1>`;

/** Serves a page to render, at every path on a new origin. */
export async function servePage(): Promise<ListeningServer> {
  return listen(
    createServer((_request, response) => response.setHeader("Content-Type", "text/html").end(PAGE)),
  );
}
