import { stat } from "node:fs/promises";
import type { Engine } from "@snap/engine";
import { availablePlans } from "@snap/engine/internals";
import type { Config } from "../../config.ts";
import { keySourceOf, wrongKeyError } from "../../config/secret-key.ts";
import { ok, problem, warning, type Finding } from "../../findings/finding.ts";
import { formatNoun } from "../../format.ts";
import { quoteIfNeeded } from "../../quote.ts";

/** Permission bits of group and others. */
export const SHARED_BITS = 0o077;
const SHOWN_ACCOUNTS_MAX = 3;

/** Returns why the storage does not accept writes; `undefined` if it does. */
export async function findStorageProblem(engine: Engine): Promise<string | undefined> {
  const { reasons } = await engine.health();
  return reasons.find((reason) => reason.startsWith("storage: "));
}

/** Checks that the key decrypts the stored secrets, and that each account's plan exists. */
export async function checkRecords(config: Config, engine: Engine): Promise<readonly Finding[]> {
  return [await checkKey(config, engine), await checkPlans(config, engine)];
}

async function checkKey(config: Config, engine: Engine): Promise<Finding> {
  const source = keySourceOf(config);
  const mode = config.secretKey === null ? ((await permissionsOf(source)) ?? 0) : 0;
  if ((await engine.tokens.checkSecretKey()) === "differs") {
    const error = wrongKeyError(source);
    return problem(error.code, error.problem, error.advice);
  }
  const tokens = await engine.tokens.replaceLostSecrets({ dryRun: true });
  if (tokens.length > 0)
    return problem(
      "secret_key_wrong",
      `${source} does not decrypt the signing secrets of ${formatNoun(tokens.length, "token")}`,
      "stop the service and run `snap-server secret-key replace`, which lists them; --yes gives them new signing secrets",
    );
  if ((mode & SHARED_BITS) !== 0)
    return warning(
      "secret_key_open",
      `${source} is accessible to other users`,
      `chmod 600 ${quoteIfNeeded(source)}`,
    );
  return ok("secret key", source);
}

/** An account whose plan is missing has no credits. */
async function checkPlans({ plans }: Config, engine: Engine): Promise<Finding> {
  const known = availablePlans(plans).map(({ slug }) => slug);
  const accounts = await engine.accounts.list();
  const affected = accounts.filter(({ planSlug }) => planSlug !== null && !known.includes(planSlug));
  if (affected.length === 0) return ok("plans", known.join(", "));
  const slugs = [...new Set(affected.map(({ planSlug }) => planSlug))].join(", ");
  const ids = affected.slice(0, SHOWN_ACCOUNTS_MAX).map(({ id }) => id);
  return problem(
    "plan_missing",
    `${affected.length === 1 ? "1 account has" : `${affected.length} accounts have`} no credits, because the plan does not exist: ` +
      `${slugs} (${ids.join(", ")}${affected.length > ids.length ? ", …" : ""})`,
    "set SNAP_PLANS_FILE to the service's value, and add the plan to that file; or change each account's plan: " +
      `snap-server accounts update ${ids[0] ?? "ID"} --plan ${known[0] ?? "SLUG"}`,
  );
}

/** Returns the permissions of a file; `null` if it does not exist or is not accessible. */
async function permissionsOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode,
    () => null,
  );
}
