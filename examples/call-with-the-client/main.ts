import { createClient, isSnapError, type SnapClient } from "@snap/client";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Saves a screenshot and a PDF of a page in a folder, and rewrites them only if the page has changed. */
export async function savePage(snap: SnapClient, url: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const tagFile = join(folder, "page.etag");
  const savedTag = await readFile(tagFile, "utf8").catch(() => null);
  // bypass the cache to render the current page; this costs a credit each time
  const image = await snap.screenshot({ url, fullPage: true, cache: false }, { ifNoneMatch: savedTag });
  if (image.notModified) return `${url} has not changed`;
  await writeFile(join(folder, "page.png"), image.bytes);

  const pdf = await snap.pdf({ url, paperFormat: "letter", cache: false }, { as: "stream" });
  await writeFile(join(folder, "page.pdf"), pdf.stream);

  if (image.etag !== null) await writeFile(tagFile, image.etag);
  return `saved ${url}, which returned status ${image.targetStatus}`;
}

/** Branches on the code: messages are for people, and their wording may change. */
function explain(code: string, message: string): string {
  switch (code) {
    case "target_unreachable":
    case "blocked_host":
      return `skipped ${message}`;
    case "no_active_plan":
    case "credit_limit_reached":
      return `needs credits: ${message}`;
    default:
      // the client has already retried retryable failures
      return `failed, ${code}: ${message}`;
  }
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN } = process.env;
  const [url, folder = "pages"] = process.argv.slice(2);
  if (!SNAP_BASE_URL || !SNAP_TOKEN || !url) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, and SNAP_TOKEN, then run:");
    console.error("node main.ts URL [FOLDER]");
    process.exit(1);
  }
  try {
    const snap = createClient();
    console.log(await savePage(snap, url, folder));
    const { credits } = await snap.usage();
    console.log(`${credits.remaining} of ${credits.total} credits left`);
  } catch (error) {
    if (!isSnapError(error)) throw error;
    const message = `${url}: ${error.message} (request ${error.requestId ?? "id unknown"})`;
    console.error(explain(error.code, message));
    process.exitCode = 1;
  }
}
