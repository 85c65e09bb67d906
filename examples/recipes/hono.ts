import { signUrl } from "@snap/client";
import { webhookHandler } from "@snap/client/webhooks";
import { Hono } from "hono";

const { SNAP_BASE_URL = "", SNAP_TOKEN_ID, SNAP_SIGNING_SECRET = "", SITE_URL = "" } = process.env;
const signer = { baseUrl: SNAP_BASE_URL, tokenId: Number(SNAP_TOKEN_ID), signingSecret: SNAP_SIGNING_SECRET };
const receive = webhookHandler(SNAP_SIGNING_SECRET, ({ id, status }) => console.log(id, status));

export const app = new Hono()
  .post("/webhooks/snap", (context) => receive(context.req.raw))
  .get("/preview/:page", (context) => {
    const url = `${SITE_URL}/${encodeURIComponent(context.req.param("page"))}`;
    return context.redirect(signUrl({ url, format: "webp" }, signer));
  });
