import { signUrl } from "@snap/client";
import { createServer, type Server } from "node:http";

const SITES = ["https://example.com/", "https://www.iana.org/", "https://www.w3.org/"];
const DAY_MS = 24 * 60 * 60 * 1000;

export interface GallerySettings {
  /** Public URL of the service, such as `https://snap.example.com/v1`. */
  readonly baseUrl: string;
  readonly tokenId: number;
  /** Never sent to the browser: the page contains only signatures. */
  readonly signingSecret: string;
  readonly sites?: readonly string[];
}

/** Serves a page with an image of each site. The browser fetches the images from the service, without a token. */
export function createGallery({ sites = SITES, ...signer }: GallerySettings): Server {
  return createServer((_request, response) => {
    // the end of tomorrow, so the URL stays the same all day and browsers can cache the image
    const expires = new Date((Math.floor(Date.now() / DAY_MS) + 2) * DAY_MS);
    const images = sites.map((site) => {
      const parameters = { url: site, width: 1200, height: 800, format: "webp", quality: 80 } as const;
      const src = signUrl(parameters, { ...signer, expires });
      return `<img src="${escapeHtml(src)}" alt="${escapeHtml(site)}" width="400" loading="lazy">`;
    });
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>Sites</title>${images.join("\n")}`);
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN_ID, SNAP_SIGNING_SECRET, PORT = "8080" } = process.env;
  const tokenId = Number(SNAP_TOKEN_ID);
  if (!SNAP_BASE_URL || !tokenId || !SNAP_SIGNING_SECRET) {
    console.error(
      "Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, SNAP_TOKEN_ID (the number before the",
    );
    console.error("pipe of a token) and SNAP_SIGNING_SECRET (run snap-server tokens reveal ID to get it).");
    process.exit(1);
  }
  createGallery({ baseUrl: SNAP_BASE_URL, tokenId, signingSecret: SNAP_SIGNING_SECRET }).listen(Number(PORT));
}
