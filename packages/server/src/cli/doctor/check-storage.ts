import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Engine } from "@snap/engine";
import type { Config } from "../../config.ts";
import { secretKeyPath } from "../../config/secret-key.ts";
import { openAdminEngine } from "../../wire.ts";
import { ok, problem, reasonOf, warning, type Finding } from "./finding.ts";

const OTHERS = 0o077;

/** The data folder takes writes and is closed to others; the key opens what was sealed under it. */
export async function checkStorage(config: Config): Promise<readonly Finding[]> {
  const mode = await modeOf(config.dataDir);
  if (mode === null) return [await checkParent(config.dataDir)];
  let engine: Engine;
  try {
    engine = await openAdminEngine(config);
  } catch (error) {
    return [
      problem(
        "storage",
        reasonOf(error),
        `make ${config.dataDir} writable for this user, or set SNAP_DATA_DIR`,
      ),
    ];
  }
  try {
    const { reasons } = await engine.health();
    const fault = reasons.find((reason) => reason.startsWith("storage"));
    if (fault !== undefined)
      return [problem("storage", fault, `free space, and make ${config.dataDir} writable for this user`)];
    const storage =
      (mode & OTHERS) === 0
        ? ok("storage", `${config.dataDir} takes writes`)
        : warning("storage", `${config.dataDir} is open to other users`, `chmod 700 ${config.dataDir}`);
    return [storage, await checkKey(config, engine)];
  } finally {
    await engine.close();
  }
}

/** A folder that isn't there yet is made at the first start, not by looking. */
async function checkParent(folder: string): Promise<Finding> {
  let parent = dirname(folder);
  while ((await modeOf(parent)) === null && parent !== dirname(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK);
    return ok("storage", `${folder} is made at the first start`);
  } catch {
    return problem(
      "storage",
      `${folder} can't be made: ${parent} takes no writes`,
      "set SNAP_DATA_DIR to a folder that this user may write",
    );
  }
}

async function checkKey(config: Config, engine: Engine): Promise<Finding> {
  const source = config.secretKey === null ? secretKeyPath(config.dataDir) : "SNAP_SECRET_KEY";
  const mode = config.secretKey === null ? ((await modeOf(source)) ?? 0) : 0;
  if (!(await opensSecrets(engine)))
    return problem(
      "secret key",
      `${source} is not the key that the stored signing secrets were sealed under`,
      "put the right key back, or rotate every token",
    );
  if ((mode & OTHERS) !== 0)
    return warning("secret key", `${source} is open to other users`, `chmod 600 ${source}`);
  return ok("secret key", source);
}

/** Tries the first token that there is: all are sealed under the same key. */
async function opensSecrets(engine: Engine): Promise<boolean> {
  for (const account of await engine.accounts.list()) {
    const [token] = await engine.tokens.list(account.id);
    if (token === undefined) continue;
    return engine.tokens.reveal(token.id).then(
      () => true,
      () => false,
    );
  }
  return true;
}

async function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode,
    () => null,
  );
}
