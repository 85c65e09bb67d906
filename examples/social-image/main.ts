import { signUrl } from "@snap/client";
import { createServer, type Server } from "node:http";
import { CARD_SIZE, cardHtml, escapeHtml, type Article } from "./card.ts";

const ARTICLES: Readonly<Record<string, Article>> = {
  "/hello": { title: "Hello, world", author: "Ada Lovelace" },
};
/** The service keeps the HTML of a picture for this long after it was last stored. */
const DOCUMENT_TTL_SECONDS = 30 * 24 * 60 * 60;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface BlogSettings {
  /** Public URL of the service, such as `https://snap.example.com/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly signingSecret: string;
  /** By path. */
  readonly articles?: Readonly<Record<string, Article>>;
}

/** Serves articles, each with a preview image for social networks, which fetch it from the service without a token. */
export function createBlog({ articles = ARTICLES, ...settings }: BlogSettings): Server {
  const pages = new Map<string, Promise<string>>();
  return createServer((request, response) => {
    const article = articles[request.url ?? ""];
    if (article === undefined) return response.writeHead(404).end("Not found");
    // once a day, so that the image never expires while the page is served
    const key = `${request.url} ${Math.floor(Date.now() / DAY_MS)}`;
    const page = pages.get(key) ?? pageOf(article, settings);
    pages.set(key, page);
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    page.then(
      (html) => response.end(html),
      (error: unknown) => {
        pages.delete(key);
        response.writeHead(500).end(String(error));
      },
    );
  });
}

async function pageOf(article: Article, settings: Omit<BlogSettings, "articles">): Promise<string> {
  const image = await imageUrl(article, settings);
  return `<!doctype html><title>${escapeHtml(article.title)}</title>
<meta property="og:image" content="${escapeHtml(image)}">
<meta property="og:image:width" content="${CARD_SIZE.width}">
<meta property="og:image:height" content="${CARD_SIZE.height}">
<h1>${escapeHtml(article.title)}</h1>`;
}

/** Stores the HTML of the picture, which costs nothing, and returns a signed URL that renders it. */
async function imageUrl(
  article: Article,
  { baseUrl, token, signingSecret }: Omit<BlogSettings, "articles">,
): Promise<string> {
  const stored = await fetch(`${baseUrl}/documents?documentTtl=${DOCUMENT_TTL_SECONDS}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "text/html; charset=utf-8" },
    body: cardHtml(article),
  });
  if (!stored.ok) throw new Error(`the service did not store the picture: ${await stored.text()}`);
  const { url } = (await stored.json()) as { readonly url: string };
  const tokenId = Number.parseInt(token, 10);
  return signUrl({ url, ...CARD_SIZE, cacheTtl: DOCUMENT_TTL_SECONDS }, { baseUrl, tokenId, signingSecret });
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN, SNAP_SIGNING_SECRET, PORT = "8080" } = process.env;
  if (!SNAP_BASE_URL || !SNAP_TOKEN || !SNAP_SIGNING_SECRET) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, SNAP_TOKEN and SNAP_SIGNING_SECRET");
    console.error(
      "(run snap-server tokens reveal ID to get it; ID is the number before the pipe of the token).",
    );
    process.exit(1);
  }
  const settings = { baseUrl: SNAP_BASE_URL, token: SNAP_TOKEN, signingSecret: SNAP_SIGNING_SECRET };
  createBlog(settings).listen(Number(PORT));
}
