import * as z from "zod";
import { id, paging } from "../../requests/fields.ts";
import { toDeliveryAttempt } from "../json-bodies.ts";
import { batchFilter } from "../inputs.ts";
import { toAdminList, pageRequestOf } from "../lists.ts";
import { route } from "../route.ts";
import { batch, batchSummary, deliveryAttempt } from "../schemas/batches.ts";
import { countedListOf, listOf } from "../schemas/lists.ts";

const deliveryFilter = z.strictObject({
  ...paging,
  batch: id().optional().meta({ description: "Only attempts for the batch with this id." }),
  account: id().optional().meta({ description: "Only attempts for the account with this id." }),
});

export const BATCH_ROUTES = [
  route({
    method: "get",
    path: "/batches",
    operationId: "listBatches",
    tag: "Batches",
    summary: "List batches, newest first",
    query: batchFilter,
    response: countedListOf(batchSummary),
    handle: ({ operations, query }) => operations.batches.page(query),
  }),
  route({
    method: "get",
    path: "/batches/{id}",
    operationId: "getBatch",
    tag: "Batches",
    summary: "Show a batch, its items and its webhook delivery",
    response: batch,
    handle: ({ operations, id: batchId }) => operations.batches.get(batchId),
  }),
  route({
    method: "get",
    path: "/deliveries",
    operationId: "listDeliveries",
    tag: "Batches",
    summary: "List attempts to deliver webhooks, newest first",
    description: "The latest 100 attempts for each batch are stored until the batch is deleted.",
    query: deliveryFilter,
    response: listOf(deliveryAttempt),
    async handle({ engine, query: { batch: batchId, account: accountId, ...query } }) {
      const page = await engine.batches.attemptPage({ ...pageRequestOf(query), batchId, accountId });
      return toAdminList(page, toDeliveryAttempt);
    },
  }),
  route({
    method: "post",
    path: "/deliveries",
    operationId: "redeliver",
    tag: "Batches",
    summary: "Resend a batch's webhook",
    description: "A running worker sends it within seconds, with the same id and a new signature.",
    body: z
      .strictObject({ batch_id: id().meta({ description: "Id of the batch." }) })
      .meta({ id: "Redelivery" }),
    status: 202,
    response: batch,
    command: "batches redeliver",
    handle: ({ operations, body }) => operations.batches.redeliver(body.batch_id),
  }),
];
