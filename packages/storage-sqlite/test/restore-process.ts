import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

/*
 * Restores the backup in the second folder into the first. Its third argument is the number of the
 * file system call, after the backup is staged, at which it kills itself; 0 for never.
 */
const [directory = "", backup = "", killAt = "0"] = process.argv.slice(2);

const CHANGES = [
  "linkSync",
  "renameSync",
  "rmSync",
  "mkdirSync",
  "mkdtempSync",
  "openSync",
  "fsyncSync",
] as const;
let changes = 0;
let isStaged = false;
const functions = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
for (const name of CHANGES) {
  const original = functions[name];
  functions[name] = (...args) => {
    changes += 1;
    if (isStaged && changes === Number(killAt)) process.kill(process.pid, "SIGKILL");
    return original?.(...args);
  };
}
syncBuiltinESMExports();

const { openSqliteRestore } = await import("../src/index.ts");
const restore = openSqliteRestore({ directory, replaces: true });
fs.copyFileSync(join(backup, "snap.db"), restore.filename);
for (const kind of ["renderings", "documents"] as const)
  fs.cpSync(join(backup, `snap.db-${kind}`), restore.folders[kind], { recursive: true });
restore.inspect();
changes = 0;
isStaged = true;
restore.commit(Date.now());
restore.close();
