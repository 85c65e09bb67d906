// app/blog/[slug]/page.tsx
import { signUrl } from "@snap/client";

const { SNAP_BASE_URL = "", SNAP_TOKEN_ID, SNAP_SIGNING_SECRET = "", SITE_URL = "" } = process.env;
const signer = { baseUrl: SNAP_BASE_URL, tokenId: Number(SNAP_TOKEN_ID), signingSecret: SNAP_SIGNING_SECRET };

export async function generateMetadata({ params }: { params: Promise<{ slug: string }> }) {
  // Next.js decodes it in some versions, and not in others
  const slug = encodeURIComponent(decodeURIComponent((await params).slug));
  const size = { width: 1200, height: 630 };
  const url = signUrl({ url: `${SITE_URL}/cards/${slug}`, ...size }, signer);
  return { openGraph: { images: [{ url, ...size }] } };
}
