import type { SqliteSnapshot } from "@snap/storage-sqlite";
import { createTarPacker } from "modern-tar";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { NAMES, type Manifest } from "./manifest.ts";

const CHUNK_BYTES = 1024 * 1024;

export interface ArchiveRequest {
  readonly snapshot: Pick<SqliteSnapshot, "filename" | "documents" | "renderings">;
  readonly manifest: Manifest;
  readonly output: Writable;
  readonly onProgress: (progress: ArchiveProgress) => void;
}

export interface ArchiveProgress {
  /** Bytes of file content written so far. */
  readonly bytes: number;
  readonly documents: number;
  readonly renderings: number;
}

/** Writes a backup to `output`, and ends the stream. */
export async function writeArchive({ output, ...request }: ArchiveRequest): Promise<ArchiveProgress> {
  const { readable, controller } = createTarPacker();
  const [progress] = await Promise.all([
    fill(controller, request).catch((error: unknown) => {
      controller.error(error);
      throw error;
    }),
    pipeline(Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0]), output),
  ]);
  return progress;
}

async function fill(
  controller: ReturnType<typeof createTarPacker>["controller"],
  { snapshot, manifest, onProgress }: Omit<ArchiveRequest, "output">,
): Promise<ArchiveProgress> {
  const checksums: string[] = [];
  const progress = { bytes: 0, documents: 0, renderings: 0 };
  const mtime = new Date(manifest.made_at);
  const add = async (
    { name, size }: { readonly name: string; readonly size: number },
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> => {
    const hash = createHash("sha256");
    const writer = controller.add({ name, size, mtime, mode: 0o600 }).getWriter();
    for await (const chunk of chunks) {
      hash.update(chunk);
      await writer.write(chunk);
      progress.bytes += chunk.byteLength;
      onProgress(progress);
    }
    await writer.close();
    checksums.push(`${hash.digest("hex")}  ${name}\n`);
  };
  const addText = (name: string, text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    return add({ name, size: bytes.byteLength }, [bytes]);
  };

  await addText(NAMES.manifest, `${JSON.stringify(manifest, null, 2)}\n`);
  const { size } = await stat(snapshot.filename);
  await add(
    { name: NAMES.database, size },
    createReadStream(snapshot.filename, { highWaterMark: CHUNK_BYTES }),
  );
  for (const kind of ["documents", "renderings"] as const)
    for await (const { name, bytes } of snapshot[kind]()) {
      await add({ name: `${NAMES[kind]}${name}`, size: bytes.byteLength }, [bytes]);
      progress[kind] += 1;
    }
  await addText(NAMES.checksums, checksums.join(""));
  controller.finalize();
  return progress;
}
