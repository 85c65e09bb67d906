// server/routes/og/[slug].get.ts
import { signUrl } from "@snap/client";
import { defineEventHandler, getRouterParam, sendRedirect } from "h3";

const { SNAP_BASE_URL = "", SNAP_TOKEN_ID, SNAP_SIGNING_SECRET = "", SITE_URL = "" } = process.env;
const signer = { baseUrl: SNAP_BASE_URL, tokenId: Number(SNAP_TOKEN_ID), signingSecret: SNAP_SIGNING_SECRET };

export default defineEventHandler((event) => {
  const slug = encodeURIComponent(getRouterParam(event, "slug", { decode: true }) ?? "");
  const image = signUrl({ url: `${SITE_URL}/cards/${slug}`, width: 1200, height: 630 }, signer);
  return sendRedirect(event, image);
});
