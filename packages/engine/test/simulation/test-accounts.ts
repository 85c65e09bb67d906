import { createFakeClock, createFakeRandom, createMemoryStorage } from "@snap/testing";
import type { Account } from "../../src/ports/accounts.ts";
import { createSeal } from "../../src/tokens/seal.ts";
import { createTokens, type MintedToken } from "../../src/tokens/tokens.ts";
import { ENGINE_OPTIONS } from "./process.ts";
import type { World } from "./world.ts";

/** An account and its token. */
export interface TestAccount {
  readonly accountId: string;
  readonly token: string;
  readonly signingSecret: string;
  /** The largest number of credits that it was granted for a period. */
  maxCredits: number;
  maxRequestsPerMinute: number;
}

/** A monthly period that began this long before 1 March, when the simulation starts, ends then. */
const FEBRUARY_MS = 28 * 86_400_000;
const MAX_ACCOUNTS = 3;

const ACCOUNT: Account = {
  id: "acct_1",
  email: "acct_1@example.com",
  emailVerifiedAt: 0,
  planSlug: "starter",
  creditsPerPeriod: null,
  requestsPerMinute: null,
  createdAt: 0,
  suspendedAt: null,
  deletionStartedAt: null,
};

/** Creates accounts: some with few credits, a low rate limit, or a period that ends during the simulation. */
export async function createTestAccounts({
  draw,
  storage,
  timeline,
}: World): Promise<readonly TestAccount[]> {
  const accounts: TestAccount[] = [];
  for (const { record, ...secrets } of (await tokens).slice(0, draw.between(2, MAX_ACCOUNTS))) {
    const accountId = `acct_${record.id}`;
    const maxCredits = draw.pick([1, 3, 6, 1000, 1000]);
    const maxRequestsPerMinute = draw.pick([2, 5, 20, 1000, 1000]);
    const ageMs = draw.chance(0.1) ? FEBRUARY_MS - draw.between(0, 40_000) : 0;
    await storage.accounts.insert({
      ...ACCOUNT,
      id: accountId,
      email: `${accountId}@example.com`,
      creditsPerPeriod: maxCredits,
      requestsPerMinute: maxRequestsPerMinute,
      createdAt: timeline.now - ageMs,
      suspendedAt: null,
      deletionStartedAt: null,
    });
    const { token, signingSecret } = secrets;
    await storage.tokens.insert({ ...record, accountId });
    accounts.push({ accountId, token, signingSecret, maxCredits, maxRequestsPerMinute });
  }
  return accounts;
}

/**
 * Created once, because encryption is slow. Their ids are valid in every simulation, because each
 * new memory storage assigns the same ones.
 */
const tokens = createMintedTokens();

async function createMintedTokens(): Promise<readonly MintedToken[]> {
  const { accounts, tokens: store } = createMemoryStorage();
  const random = createFakeRandom(1);
  const clock = createFakeClock(0);
  const seal = createSeal(ENGINE_OPTIONS.secretKey, random);
  const administration = createTokens({ store, accounts, seal, clock, random });
  await accounts.insert(ACCOUNT);
  const minted: MintedToken[] = [];
  while (minted.length < MAX_ACCOUNTS) minted.push(await administration.create({ accountId: ACCOUNT.id }));
  return minted;
}

/** Changes an account's plan and limits, or removes its plan. */
export async function changePlan({ draw, storage, trace }: World, account: TestAccount): Promise<void> {
  const { accountId } = account;
  const planSlug = draw.pick([null, "starter", "growth"]);
  const creditsPerPeriod = draw.pick([0, 2, 8, 1000]);
  const requestsPerMinute = draw.pick([1, 4, 1000]);
  trace?.(
    "operator",
    `* ${accountId}: ${planSlug}, ${creditsPerPeriod} credits, ${requestsPerMinute} a minute`,
  );
  await storage.accounts.update(accountId, { planSlug, creditsPerPeriod, requestsPerMinute });
  account.maxCredits = Math.max(account.maxCredits, creditsPerPeriod);
  account.maxRequestsPerMinute = Math.max(account.maxRequestsPerMinute, requestsPerMinute);
}
