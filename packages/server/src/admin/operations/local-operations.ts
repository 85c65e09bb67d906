import type { Engine, Plan } from "@snap/engine";
import { availablePlans, batchNotFound } from "@snap/engine/internals";
import { attemptDocument, batchDocument, batchSummaryDocument, planDocument } from "../documents.ts";
import { listDocument, pageRequestOf } from "../lists.ts";
import { localAccounts } from "./local-accounts.ts";
import { localTokens } from "./local-tokens.ts";
import type { AdminOperations, BatchOperations } from "./operations.ts";

/** Operations on an engine, with the service's plans. */
export function localOperations(engine: Engine, plans: readonly Plan[]): AdminOperations {
  return {
    plans: () => Promise.resolve(availablePlans(plans).map(planDocument)),
    accounts: localAccounts(engine, plans),
    tokens: localTokens(engine),
    batches: localBatches(engine),
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
