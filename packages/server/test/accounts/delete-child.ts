import { createEngine } from "@snap/engine";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createFakeRenderer } from "@snap/testing";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";

/*
 * Deletes an account from the embedded storage, and kills itself with SIGKILL before the given step, a statement or the
 * removal of a file; or, for `rendering`, before the first removal of a rendering's file.
 */
const [directory = "", id = "", killBefore = ""] = process.argv.slice(2);
let step = 0;

function takeStep(removedPath = ""): void {
  step += 1;
  const isRendering = killBefore === "rendering" && removedPath.includes("snap.db-renderings");
  if (isRendering || step === Number(killBefore)) process.kill(process.pid, "SIGKILL");
}

const storage = await openSqliteStorage({ directory });
const prototype = Object.getPrototypeOf(new DatabaseSync(":memory:").prepare("SELECT 1")) as Record<
  string,
  (...values: unknown[]) => unknown
>;
for (const name of ["run", "all", "get"] as const) {
  const original = prototype[name];
  prototype[name] = function (this: unknown, ...values: unknown[]): unknown {
    takeStep();
    return original?.apply(this, values);
  };
}
const { rm } = fs;
fs.rm = async (...removal) => {
  takeStep(String(removal[0]));
  await rm(...removal);
};
syncBuiltinESMExports();

const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: "a key for this test" });
await engine.accounts.delete(id, { purge: true });
await engine.close();
