import { chown, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mountSmallDisk } from "../../testing/test/servers/small-disk.ts";
import { execute, openStorage, useServer } from "./server.ts";

describe("the check of a storage", { tags: ["postgres", "mount"] }, () => {
  const { server, newDatabase } = useServer();

  it("rejects while the disk with the tables is full, even if the WAL is on another disk", async () => {
    const disk = await mountSmallDisk({ mebibytes: 8 });
    const location = join(disk.directory, "tables");
    await mkdir(location);
    const { uid, gid } = await stat(server().data);
    for (const folder of [disk.directory, location]) await chown(folder, uid, gid);
    const url = await newDatabase();
    await execute(url, `CREATE TABLESPACE small LOCATION '${location}'`);
    await execute(url, "ALTER TABLE snap.write_checks SET TABLESPACE small");
    const storage = await openStorage({ url });
    try {
      // leaves free space on its pages: a smaller write would still succeed on a full disk
      await storage.check();
      disk.fill();
      await expect(storage.check()).rejects.toThrow("No space left on device");
      await disk.clear();
      await storage.check();
    } finally {
      await storage.close();
      await execute(url, "ALTER TABLE snap.write_checks SET TABLESPACE pg_default");
      await execute(url, "DROP TABLESPACE small");
    }
  });
});
