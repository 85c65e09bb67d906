// app/blog/[slug]/page.tsx
import { signUrl } from "@snap/client";

const { SNAP_BASE_URL = "", SNAP_TOKEN_ID, SNAP_SIGNING_SECRET = "", SITE_URL = "" } = process.env;
const signer = { baseUrl: SNAP_BASE_URL, tokenId: Number(SNAP_TOKEN_ID), signingSecret: SNAP_SIGNING_SECRET };

export async function generateMetadata({ params }: { params: Promise<{ slug: string }> }) {
  const { slug } = await params;
  const size = { width: 1200, height: 630 };
  // some versions of Next.js decode the slug and others do not; URL encodes spaces and non-ASCII characters, and leaves
  // existing escapes unchanged
  const card = new URL(`${SITE_URL}/cards/${slug}`).href;
  const url = signUrl({ url: card, ...size }, signer);
  return { openGraph: { images: [{ url, ...size }] } };
}
