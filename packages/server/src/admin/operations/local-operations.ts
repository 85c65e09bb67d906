import type { Engine, Plan } from "@snap/engine";
import { availablePlans, batchNotFound, entitlementOf, usageReport } from "@snap/engine/internals";
import {
  toAdminAccount,
  toDeliveryAttempt,
  toAdminBatch,
  toAdminBatchSummary,
  toAdminDeletedAccount,
  toAdminMintedToken,
  toAdminPlan,
  toAdminDeletionPreview,
  toAdminToken,
} from "../json-bodies.ts";
import { toAdminCountedList, pageRequestOf } from "../lists.ts";
import type { AccountOperations, AdminOperations, BatchOperations, TokenOperations } from "./operations.ts";

/** Operations on an engine, with the service's plans. */
export function localOperations(engine: Engine, plans: readonly Plan[]): AdminOperations {
  return {
    plans: () => Promise.resolve(availablePlans(plans).map(toAdminPlan)),
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
      return toAdminCountedList(page, toAdminAccount);
    },
    async get(id) {
      const account = await accounts.get(id);
      const entitlement = entitlementOf(account, plans, Date.now());
      const usage = usageReport(entitlement, await engine.credits(account));
      const records = await tokens.list(id);
      return { ...toAdminAccount(account), usage, tokens: records.map(toAdminToken) };
    },
    getByEmail: async (email) => toAdminAccount(await accounts.getByEmail(email)),
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
      return toAdminAccount(account);
    },
    async update(id, { email, plan, credits_per_period: credits, requests_per_minute: perMinute }) {
      const account = await accounts.update(id, {
        ...(email !== undefined && { email }),
        ...(plan !== undefined && { planSlug: plan }),
        ...(credits !== undefined && { creditsPerPeriod: credits }),
        ...(perMinute !== undefined && { requestsPerMinute: perMinute }),
      });
      return toAdminAccount(account);
    },
    verify: async (id) => toAdminAccount(await accounts.verify(id)),
    suspend: async (id) => toAdminAccount(await accounts.suspend(id)),
    resume: async (id) => toAdminAccount(await accounts.resume(id)),
    async delete(id, { purge = false, dry_run: dryRun = false }) {
      if (!dryRun) return toAdminDeletedAccount(await accounts.delete(id, { purge }));
      return toAdminDeletionPreview(id, { preview: await accounts.previewDeletion(id, { purge }), purge });
    },
  };
}

function localTokens({ tokens }: Engine): TokenOperations {
  return {
    list: async (accountId) => (await tokens.list(accountId)).map(toAdminToken),
    get: async (id) => toAdminToken(await tokens.get(id)),
    async create({ account_id: accountId, name, abilities, expires_in_seconds: seconds }) {
      const minted = await tokens.create({
        accountId,
        ...(name !== undefined && { name }),
        ...(abilities !== undefined && { abilities }),
        expiresAt: seconds === undefined ? null : Date.now() + seconds * 1000,
      });
      return toAdminMintedToken(minted);
    },
    rotate: async (id, { overlap_seconds: seconds = 0 }) =>
      toAdminMintedToken(await tokens.rotate(id, { overlapMs: seconds * 1000 })),
    async revoke(id) {
      await tokens.revoke(id);
      return { id, revoked: true };
    },
    revokeAll: async (accountId) => ({ ids: await tokens.revokeAll(accountId), revoked: true }),
    async reveal(id) {
      const { record, signingSecret } = await tokens.reveal(id);
      return { ...toAdminToken(record), signing_secret: signingSecret };
    },
  };
}

function localBatches({ batches }: Engine): BatchOperations {
  return {
    async page({ account: accountId, finished: isFinished, delivery, ...paging }) {
      const page = await batches.page({ ...pageRequestOf(paging), accountId, isFinished, delivery });
      return toAdminCountedList(page, toAdminBatchSummary);
    },
    async get(id) {
      const batch = await batches.inspect(id);
      if (batch === null) throw batchNotFound(id);
      return toAdminBatch(batch);
    },
    async attempts(batchId, limit) {
      return (await batches.attemptPage({ batchId, limit })).entries.map(toDeliveryAttempt);
    },
    redeliver: async (id) => toAdminBatch(await batches.redeliver(id)),
  };
}
