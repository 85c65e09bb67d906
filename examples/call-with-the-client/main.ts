import { createClient, isSnapError, type SnapClient } from "@snap/client";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Keeps a picture and a PDF of a page in a folder, and leaves them alone while the page looks the same. */
export async function keepPage(snap: SnapClient, url: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const tagFile = join(folder, "page.etag");
  const knownTag = await readFile(tagFile, "utf8").catch(() => null);
  try {
    // Without the cache the page is looked at as it is now, for a credit each time.
    const picture = await snap.screenshot({ url, fullPage: true, cache: false }, { ifNoneMatch: knownTag });
    if (picture.notModified) return `${url} looks as before`;
    await writeFile(join(folder, "page.png"), picture.bytes);

    const pdf = await snap.pdf({ url, paperFormat: "letter", cache: false }, { as: "stream" });
    await writeFile(join(folder, "page.pdf"), pdf.stream);

    if (picture.etag !== null) await writeFile(tagFile, picture.etag);
    return `kept ${url}, which answered ${picture.targetStatus}`;
  } catch (error) {
    if (!isSnapError(error)) throw error;
    return explain(error.code, `${url}: ${error.message} (request ${error.requestId ?? "not sent"})`);
  }
}

/** What to do about a failure depends on its code. Messages are for people and may be reworded. */
function explain(code: string, message: string): string {
  switch (code) {
    case "target_unreachable":
    case "blocked_host":
      return `skipped ${message}`;
    case "no_active_plan":
    case "credit_limit_reached":
      return `needs credits: ${message}`;
    default:
      // The client has repeated what a repeat can mend.
      return `failed, ${code}: ${message}`;
  }
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN } = process.env;
  const [url, folder = "kept"] = process.argv.slice(2);
  if (!SNAP_BASE_URL || !SNAP_TOKEN || !url) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, and SNAP_TOKEN, then:");
    console.error("node main.ts URL [FOLDER]");
    process.exit(1);
  }
  const snap = createClient({ baseUrl: SNAP_BASE_URL, token: SNAP_TOKEN });
  console.log(await keepPage(snap, url, folder));
  const { credits } = await snap.usage();
  console.log(`${credits.remaining} of ${credits.total} credits left`);
}
