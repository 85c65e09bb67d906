import { createClient, isSnapError, type BatchItem, type SnapClient } from "@snap/client";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Renders up to 20 pages in one batch, prints the progress, and saves each image when it is done.
 *
 * @returns The items that failed.
 */
export async function collectPages(
  snap: SnapClient,
  urls: readonly string[],
  folder: string,
): Promise<BatchItem[]> {
  await mkdir(folder, { recursive: true });
  const batch = await snap.batches.submit({
    items: urls.map((url) => ({ url, fullPage: true, format: "webp" })),
  });
  // another process can also collect the batch with this id, for 7 days
  console.log(`submitted ${batch.id}`);

  const failed: BatchItem[] = [];
  let finished = 0;
  for await (const item of snap.batches.items(batch)) {
    finished += 1;
    const progress = `${finished} of ${batch.items.length}`;
    if (item.status === "failed") {
      failed.push(item);
      console.log(`${progress}: ${item.url} failed, ${item.error?.code}: ${item.error?.message}`);
    } else {
      const { bytes } = await snap.batches.download(item);
      const file = join(folder, `${item.id}.webp`);
      await writeFile(file, bytes);
      console.log(`${progress}: ${item.url} saved as ${file}`);
    }
  }
  return failed;
}

if (import.meta.main) {
  const { SNAP_BASE_URL, SNAP_TOKEN } = process.env;
  const urls = process.argv.slice(2);
  if (!SNAP_BASE_URL || !SNAP_TOKEN || urls.length === 0) {
    console.error("Set SNAP_BASE_URL, such as http://127.0.0.1:3000/v1, and SNAP_TOKEN, then run:");
    console.error("node main.ts URL [URL ...]");
    process.exit(1);
  }
  try {
    const snap = createClient();
    const failed = await collectPages(snap, urls, "collected");
    process.exitCode = failed.length === 0 ? 0 : 1;
  } catch (error) {
    if (!isSnapError(error)) throw error;
    // `errors` names the invalid items, such as items.1.url
    console.error(error.code, error.message, error.errors ?? "");
    process.exitCode = 1;
  }
}
