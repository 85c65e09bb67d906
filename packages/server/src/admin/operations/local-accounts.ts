import type { Engine, Plan } from "@snap/engine";
import { entitlementOf, usageReport } from "@snap/engine/internals";
import { accountDocument, deletedDocument, previewDocument, tokenDocument } from "../documents.ts";
import { listDocument, pageRequestOf } from "../lists.ts";
import type { AccountOperations } from "./operations.ts";

/** Account operations on an engine. */
export function localAccounts(engine: Engine, plans: readonly Plan[]): AccountOperations {
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
