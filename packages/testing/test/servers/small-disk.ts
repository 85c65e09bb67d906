import { execFile } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const execute = promisify(execFile);
const CHUNK = Buffer.alloc(64 * 1024, 1);

/** A separate small disk for the running test. */
export interface SmallDisk {
  readonly directory: string;
  /** Fills the disk to the last byte, as another program could. */
  fill(): void;
  /** Deletes the file that fills the disk. */
  clear(): Promise<void>;
}

/** Mounts a disk in memory. The caller must close all files on it before the test ends. */
export async function mountSmallDisk({ mebibytes }: { readonly mebibytes: number }): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), "snap-disk-"));
  await execute("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=700`, "tmpfs", directory]);
  onTestFinished(async () => {
    await execute("umount", [directory]);
    await rmdir(directory);
  });
  const foreign = join(directory, "foreign");
  return {
    directory,
    fill() {
      const file = openSync(foreign, "a");
      try {
        for (let size = CHUNK.byteLength; size > 0;) size = tryWrite(file, size) ? size : size >> 1;
      } finally {
        closeSync(file);
      }
    },
    clear: () => rm(foreign),
  };
}

/** Returns `false` if the disk is full. */
function tryWrite(file: number, size: number): boolean {
  try {
    return writeSync(file, CHUNK, 0, size) > 0;
  } catch {
    return false;
  }
}
