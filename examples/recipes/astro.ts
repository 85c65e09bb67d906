// src/pages/og/[slug].png.ts
import { createClient } from "@snap/client";

const { SNAP_BASE_URL = "", SNAP_TOKEN = "", SITE_URL = "" } = process.env;
const snap = createClient({ baseUrl: SNAP_BASE_URL, token: SNAP_TOKEN });

export function getStaticPaths() {
  return ["hello", "about"].map((slug) => ({ params: { slug } }));
}

export async function GET({ params }: { params: { slug: string } }): Promise<Response> {
  const url = `${SITE_URL}/cards/${params.slug}`;
  const { bytes } = await snap.screenshot({ url, width: 1200, height: 630 });
  return new Response(bytes, { headers: { "Content-Type": "image/png" } });
}
