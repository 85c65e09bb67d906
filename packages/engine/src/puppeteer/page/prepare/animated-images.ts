import type { CDPSession, Protocol } from "puppeteer";

/** Each is read from the browser's memory. */
const WEBP_FILES_MAX = 100;
const ANIMATED = 0x02;
/** RFC 9649, 2.7: the flags of an extended file. */
const FLAGS_OFFSET = 20;

interface Resource {
  readonly frameId: string;
  readonly url: string;
  readonly mimeType: string;
}

/** Returns the URLs of the GIFs, and of the animated WebP images, that the frames of a session have loaded. */
export async function animatedImagesOf(session: CDPSession): Promise<readonly string[]> {
  const { frameTree } = await session.send("Page.getResourceTree");
  const resources = resourcesOf(frameTree);
  const gifs = resources.filter(({ mimeType }) => mimeType === "image/gif");
  const webps = resources.filter(({ mimeType }) => mimeType === "image/webp").slice(0, WEBP_FILES_MAX);
  const animated = await Promise.all(webps.map((webp) => isAnimatedWebp(session, webp)));
  return [...gifs, ...webps.filter((_, index) => animated[index])].map(({ url }) => url);
}

function resourcesOf({ frame, resources, childFrames = [] }: Protocol.Page.FrameResourceTree): Resource[] {
  const own = resources.map(({ url, mimeType }) => ({ frameId: frame.id, url, mimeType }));
  return [...own, ...childFrames.flatMap(resourcesOf)];
}

async function isAnimatedWebp(session: CDPSession, { frameId, url }: Resource): Promise<boolean> {
  try {
    const { content } = await session.send("Page.getResourceContent", { frameId, url });
    const file = Buffer.from(content, "base64");
    return file.toString("latin1", 12, 16) === "VP8X" && ((file[FLAGS_OFFSET] ?? 0) & ANIMATED) !== 0;
  } catch {
    return false; // no longer in memory
  }
}
