import { AdminError, isSnapError, type Engine, type Plan } from "@snap/engine";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const EMAIL = "demo@example.com";
const PLAN = "growth";
const UNUSABLE: ReadonlySet<string> = new Set(["unauthenticated", "account_suspended"]);

/**
 * Returns a working token for the demo account: the one stored in the data folder, or a new one if that no longer
 * works. Creates the account if needed, and makes it usable again.
 */
export async function demoToken(
  engine: Engine,
  { dataDir, plans }: { readonly dataDir: string; readonly plans: readonly Plan[] },
): Promise<string> {
  const file = join(dataDir, "demo-token");
  const stored = await readFile(file, "utf8").then(
    (text) => text.trim(),
    () => "",
  );
  if (await isUsable(engine, stored)) return stored;
  const { token } = await engine.tokens.create({ accountId: await demoAccountId(engine, plans) });
  await writeFile(`${file}.new`, `${token}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return token;
}

/** The token must be able to render a screenshot, as the printed command does. */
async function isUsable(engine: Engine, token: string): Promise<boolean> {
  try {
    const { account, token: record } = await engine.authenticate(token);
    return account.emailVerifiedAt !== null && record.abilities.includes("screenshot");
  } catch (error) {
    if (isSnapError(error) && UNUSABLE.has(error.code)) return false;
    throw error;
  }
}

async function demoAccountId(engine: Engine, plans: readonly Plan[]): Promise<string> {
  const existing = await engine.accounts.getByEmail(EMAIL).catch((error: unknown) => {
    if (error instanceof AdminError && error.code === "account_not_found") return null;
    throw error;
  });
  if (existing !== null) {
    if (existing.suspendedAt !== null) await engine.accounts.resume(existing.id);
    if (existing.emailVerifiedAt === null) await engine.accounts.verify(existing.id);
    return existing.id;
  }
  const plan = plans.find((candidate) => candidate.slug === PLAN) ?? plans[0];
  const account = await engine.accounts.create({
    email: EMAIL,
    planSlug: plan?.slug ?? null,
    verified: true,
  });
  return account.id;
}
