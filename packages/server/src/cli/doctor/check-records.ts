import { stat } from "node:fs/promises";
import type { Engine } from "@snap/engine";
import type { CacheStats } from "@snap/engine/ports";
import type { Config } from "../../config.ts";
import { keySourceOf, wrongKey } from "../../config/secret-key.ts";
import { formatBytes } from "../output.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** Permission bits of group and others. */
export const SHARED_BITS = 0o077;
const SHOWN_ACCOUNTS = 3;

/** Reports how full the cache is, and what is wrong with where it is stored. */
export function describeCache(stats: CacheStats | null): readonly Finding[] {
  if (stats === null) return [];
  const { bytes, maxBytes, freeBytes, warnings } = stats;
  const most = maxBytes === null ? "" : ` of at most ${formatBytes(maxBytes)}`;
  const free = freeBytes === null ? "" : `, ${formatBytes(freeBytes)} free`;
  return [
    ok("cache", `renderings take ${formatBytes(bytes)}${most}${free}`),
    ...warnings.map(({ code, message, advice }) => warning(code, message, advice)),
  ];
}

/** Checks that the key decrypts the stored secrets, and that each account has its plan. */
export async function checkRecords(config: Config, engine: Engine): Promise<readonly Finding[]> {
  return [await checkKey(config, engine), await checkPlans(config, engine)];
}

async function checkKey(config: Config, engine: Engine): Promise<Finding> {
  const source = keySourceOf(config);
  const mode = config.secretKey === null ? ((await modeOf(source)) ?? 0) : 0;
  if ((await engine.tokens.checkSecretKey()) === "differs") {
    const error = wrongKey(source);
    return problem(error.code, error.problem, error.advice);
  }
  const lost = await engine.tokens.replaceLostSecrets({ dryRun: true });
  if (lost.length > 0)
    return problem(
      "secret_key_wrong",
      `${source} does not decrypt the signing secrets of ${lost.length === 1 ? "1 token" : `${lost.length} tokens`}`,
      "stop the service and run `snap-server secret-key replace`, which lists them; --yes gives them new signing secrets",
    );
  if ((mode & SHARED_BITS) !== 0)
    return warning("secret_key_open", `${source} is accessible to other users`, `chmod 600 ${source}`);
  return ok("secret key", source);
}

/** An account whose plan is missing has no credits. */
async function checkPlans({ plans }: Config, engine: Engine): Promise<Finding> {
  const known = new Set(plans.map(({ slug }) => slug));
  const accounts = await engine.accounts.list();
  const lost = accounts.filter(({ planSlug }) => planSlug !== null && !known.has(planSlug));
  if (lost.length === 0) return ok("plans", [...known].join(", "));
  const slugs = [...new Set(lost.map(({ planSlug }) => planSlug))].join(", ");
  const ids = lost.slice(0, SHOWN_ACCOUNTS).map(({ id }) => id);
  return problem(
    "plan_missing",
    `${lost.length === 1 ? "1 account has" : `${lost.length} accounts have`} a plan that does not exist, and so no credits: ` +
      `${slugs} (${ids.join(", ")}${lost.length > ids.length ? ", …" : ""})`,
    "set SNAP_PLANS_FILE as for the service, and add the plan to that file; or change the plan of each account: " +
      `snap-server accounts update ${ids[0] ?? "ID"} --plan ${[...known][0] ?? "SLUG"}`,
  );
}

/** Returns the permissions of a file; `null` if it does not exist or is not visible. */
export async function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode,
    () => null,
  );
}
