import { createClient, type SnapClient } from "@snap/client";
import { createServer, type Server } from "node:http";
import { CARD_SIZE, cardHtml, escapeHtml, type Article } from "./card.ts";

/** Articles by path. */
export type Articles = Readonly<Record<string, Article>>;

const ARTICLES: Articles = {
  "/hello": { title: "Hello, world", author: "Ada Lovelace" },
};
/** How long the service stores the HTML and the image. */
const LIFETIME_SECONDS = 30 * 24 * 60 * 60;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Serves articles, each with a preview image for social networks, which fetch it from the service without a token. */
export function createBlog(snap: SnapClient, articles: Articles = ARTICLES): Server {
  const pages = new Map<Article, { readonly day: number; readonly page: Promise<string> }>();
  return createServer((request, response) => {
    // social networks add parameters, such as fbclid
    const [path = ""] = (request.url ?? "").split("?");
    const article = articles[path];
    if (article === undefined) return response.writeHead(404).end("Not found");
    // the HTML is stored again each day, so it never expires while the page is in use
    const day = Math.floor(Date.now() / DAY_MS);
    const known = pages.get(article);
    const page = known?.day === day ? known.page : createPage(snap, article);
    pages.set(article, { day, page });
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    page.then(
      (html) => response.end(html),
      (error: unknown) => {
        pages.delete(article);
        response.writeHead(500).end(String(error));
      },
    );
  });
}

async function createPage(snap: SnapClient, article: Article): Promise<string> {
  const image = await createImageUrl(snap, article);
  return `<!doctype html><title>${escapeHtml(article.title)}</title>
<meta property="og:image" content="${escapeHtml(image)}">
<meta property="og:image:width" content="${CARD_SIZE.width}">
<meta property="og:image:height" content="${CARD_SIZE.height}">
<h1>${escapeHtml(article.title)}</h1>`;
}

/** Stores the HTML of the image, which costs nothing, and returns a signed URL that renders it. */
async function createImageUrl(snap: SnapClient, article: Article): Promise<string> {
  const { url } = await snap.documents.create({ html: cardHtml(article) }, { ttlSeconds: LIFETIME_SECONDS });
  return snap.signUrl({ url, ...CARD_SIZE, cacheTtl: LIFETIME_SECONDS });
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN, SNAP_SIGNING_SECRET, PORT = "8080" } = process.env;
  if (!SNAP_BASE_URL || !SNAP_TOKEN || !SNAP_SIGNING_SECRET) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, SNAP_TOKEN and SNAP_SIGNING_SECRET");
    console.error(
      "(run snap-server tokens reveal ID to get it; ID is the number before the pipe in the token).",
    );
    process.exit(1);
  }
  createBlog(createClient()).listen(Number(PORT));
}
