import type { Engine, Plan } from "@snap/engine";
import { availablePlans, batchNotFound, entitlementOf, usageReport } from "@snap/engine/internals";
import {
  accountDocument,
  attemptDocument,
  batchDocument,
  batchSummaryDocument,
  deletedDocument,
  mintedDocument,
  planDocument,
  previewDocument,
  tokenDocument,
} from "../documents.ts";
import { listDocument, pageRequestOf } from "../lists.ts";
import type { AccountOperations, AdminOperations, BatchOperations, TokenOperations } from "./operations.ts";

/** Operations on an engine, with the service's plans. */
export function localOperations(engine: Engine, plans: readonly Plan[]): AdminOperations {
  return {
    plans: () => Promise.resolve(availablePlans(plans).map(planDocument)),
    accounts: localAccounts(engine, plans),
    tokens: localTokens(engine),
    batches: localBatches(engine),
  };
}

function localAccounts(engine: Engine, plans: readonly Plan[]): AccountOperations {
  const { accounts, tokens } = engine;
  return {
    async page({ email: emailPart, plan, verified: isVerified, ...paging }) {
      const planSlug = plan === "none" ? null : plan;
      const page = await accounts.page({ ...pageRequestOf(paging), emailPart, planSlug, isVerified });
      return listDocument(page, accountDocument);
    },
    async get(id) {
      const account = await accounts.get(id);
      const entitlement = entitlementOf(account, plans, Date.now());
      const usage = usageReport(entitlement, await engine.credits(account));
      const records = await tokens.list(id);
      return { ...accountDocument(account), usage, tokens: records.map(tokenDocument) };
    },
    getByEmail: async (email) => accountDocument(await accounts.getByEmail(email)),
    async create({
      email,
      plan,
      credits_per_period: credits,
      requests_per_minute: perMinute,
      verified = true,
    }) {
      const account = await accounts.create({
        email,
        planSlug: plan ?? null,
        creditsPerPeriod: credits ?? null,
        requestsPerMinute: perMinute ?? null,
        verified,
      });
      return accountDocument(account);
    },
    async update(id, { email, plan, credits_per_period: credits, requests_per_minute: perMinute }) {
      const account = await accounts.update(id, {
        ...(email !== undefined && { email }),
        ...(plan !== undefined && { planSlug: plan }),
        ...(credits !== undefined && { creditsPerPeriod: credits }),
        ...(perMinute !== undefined && { requestsPerMinute: perMinute }),
      });
      return accountDocument(account);
    },
    verify: async (id) => accountDocument(await accounts.verify(id)),
    suspend: async (id) => accountDocument(await accounts.suspend(id)),
    resume: async (id) => accountDocument(await accounts.resume(id)),
    async delete(id, { purge = false, dry_run: dryRun = false }) {
      if (!dryRun) return deletedDocument(await accounts.delete(id, { purge }));
      return previewDocument(id, { preview: await accounts.previewDeletion(id, { purge }), purge });
    },
  };
}

function localTokens({ tokens }: Engine): TokenOperations {
  return {
    list: async (accountId) => (await tokens.list(accountId)).map(tokenDocument),
    get: async (id) => tokenDocument(await tokens.get(id)),
    async create({ account_id: accountId, name, abilities, expires_in_seconds: seconds }) {
      const minted = await tokens.create({
        accountId,
        ...(name !== undefined && { name }),
        ...(abilities !== undefined && { abilities }),
        expiresAt: seconds === undefined ? null : Date.now() + seconds * 1000,
      });
      return mintedDocument(minted);
    },
    rotate: async (id, { overlap_seconds: seconds = 0 }) =>
      mintedDocument(await tokens.rotate(id, { overlapMs: seconds * 1000 })),
    async revoke(id) {
      await tokens.revoke(id);
      return { id, revoked: true };
    },
    revokeAll: async (accountId) => ({ ids: await tokens.revokeAll(accountId), revoked: true }),
    async reveal(id) {
      const { record, signingSecret } = await tokens.reveal(id);
      return { ...tokenDocument(record), signing_secret: signingSecret };
    },
  };
}

function localBatches({ batches }: Engine): BatchOperations {
  return {
    async page({ account: accountId, finished: isFinished, delivery, ...paging }) {
      const page = await batches.page({ ...pageRequestOf(paging), accountId, isFinished, delivery });
      return listDocument(page, batchSummaryDocument);
    },
    async get(id) {
      const batch = await batches.inspect(id);
      if (batch === null) throw batchNotFound(id);
      return batchDocument(batch);
    },
    async attempts(batchId, limit) {
      return (await batches.attemptPage({ batchId, limit })).entries.map(attemptDocument);
    },
    redeliver: async (id) => batchDocument(await batches.redeliver(id)),
  };
}
