import { webhookMiddleware, type RenderBatch } from "@snap/client/webhooks";
import express, { type Express } from "express";

/** Calls `handle` for each finished batch. If it throws, the response is 500 and the service retries the delivery. */
export function createApp(signingSecret: string, handle: (batch: RenderBatch) => unknown): Express {
  const app = express();
  // a batch can be delivered again, even while `handle` is running; to recognize it after a restart, store the ids in a database
  const calls = new Map<string, Promise<unknown>>();
  app.post(
    "/webhooks/snap",
    webhookMiddleware(signingSecret, async (batch) => {
      const call = calls.get(batch.id) ?? (async () => handle(batch))();
      calls.set(batch.id, call);
      call.catch(() => calls.delete(batch.id));
      await call;
    }),
  );
  // after the webhook: its signature covers the raw body
  app.use(express.json());
  return app;
}

function printBatch({ id, items }: RenderBatch): void {
  for (const item of items) console.log(id, item.url, item.error?.code ?? item.signed_url ?? item.status);
}

if (import.meta.main) {
  const { SNAP_SIGNING_SECRET, PORT = "8080" } = process.env;
  if (!SNAP_SIGNING_SECRET) {
    console.error("Set SNAP_SIGNING_SECRET to the signing secret of the token that submits the batches.");
    process.exit(1);
  }
  createApp(SNAP_SIGNING_SECRET, printBatch).listen(Number(PORT));
}
