import { AdminError, isSnapError, type Account, type Engine, type Plan } from "@snap/engine";
import { availablePlans } from "@snap/engine/internals";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../data-folder.ts";

const EMAIL = "demo@example.com";
const PLAN = "growth";
const UNUSABLE_CODES: ReadonlySet<string> = new Set(["unauthenticated", "account_suspended"]);

/**
 * Returns a working token for the demo account: the one stored in the data folder, or a new one if that no longer
 * works. Creates the account if needed, and makes it usable again.
 */
export async function ensureDemoToken(
  engine: Engine,
  { dataDir, plans }: { readonly dataDir: string; readonly plans: readonly Plan[] },
): Promise<string> {
  const file = join(dataDir, "demo-token");
  const stored = await readFile(file, "utf8").then(
    (text) => text.trim(),
    () => "",
  );
  if (await isUsable(engine, stored, plans)) return stored;
  // with PostgreSQL, nothing else creates it
  await makeFolder(dataDir);
  const { token } = await engine.tokens.create({ accountId: await ensureDemoAccount(engine, plans) });
  await writeFile(`${file}.new`, `${token}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return token;
}

/** The token must be able to render a screenshot, as the printed command does. */
async function isUsable(engine: Engine, token: string, plans: readonly Plan[]): Promise<boolean> {
  try {
    const { account, token: record } = await engine.authenticate(token);
    const isVerified = account.emailVerifiedAt !== null;
    return isVerified && hasPlan(account, plans) && record.abilities.includes("screenshot");
  } catch (error) {
    if (isSnapError(error) && UNUSABLE_CODES.has(error.code)) return false;
    throw error;
  }
}

async function ensureDemoAccount(engine: Engine, plans: readonly Plan[]): Promise<string> {
  const planSlug = (plans.find(({ slug }) => slug === PLAN) ?? plans[0])?.slug ?? null;
  const existing = await engine.accounts.getByEmail(EMAIL).catch((error: unknown) => {
    if (error instanceof AdminError && error.code === "account_not_found") return null;
    throw error;
  });
  if (existing !== null) {
    if (existing.suspendedAt !== null) await engine.accounts.resume(existing.id);
    if (existing.emailVerifiedAt === null) await engine.accounts.verify(existing.id);
    if (!hasPlan(existing, plans)) await engine.accounts.update(existing.id, { planSlug });
    return existing.id;
  }
  const account = await engine.accounts.create({ email: EMAIL, planSlug, verified: true });
  return account.id;
}

/** The account's plan may have been removed from `SNAP_PLANS_FILE`. */
function hasPlan({ planSlug }: Account, plans: readonly Plan[]): boolean {
  return availablePlans(plans).some(({ slug }) => slug === planSlug);
}
