import { createClient } from "@snap/client";
import express, { type Express } from "express";
import { pipeline } from "node:stream/promises";

const { SNAP_BASE_URL = "", SNAP_TOKEN = "", SITE_URL = "" } = process.env;
const snap = createClient({ baseUrl: SNAP_BASE_URL, token: SNAP_TOKEN });

export const app: Express = express();
// Express 5 passes a rejection to the error handler
app.get("/preview/:page", async (request, response) => {
  // pages of your own site only: a caller's URL could show any page under your name
  const url = `${SITE_URL}/${encodeURIComponent(request.params.page)}`;
  const { stream, contentType, etag } = await snap.screenshot({ url }, { as: "stream" });
  response.set({ "Content-Type": contentType, ETag: etag, "Cache-Control": "public, max-age=3600" });
  await pipeline(stream, response);
});
