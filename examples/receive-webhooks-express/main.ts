import { webhookMiddleware, type RenderBatch } from "@snap/client/webhooks";
import express, { type Express } from "express";

/** Acts on each finished batch. What `act` throws is answered 500, and the service delivers again. */
export function createApp(signingSecret: string, act: (batch: RenderBatch) => unknown): Express {
  const app = express();
  // A delivery comes again when its acknowledgement was lost. Where it matters, keep the ids in a database.
  const seen = new Set<string>();
  app.post(
    "/webhooks/snap",
    webhookMiddleware(signingSecret, async (batch) => {
      if (seen.has(batch.id)) return;
      await act(batch);
      seen.add(batch.id);
    }),
  );
  // Behind it: the signature is checked over the body as it was sent.
  app.use(express.json());
  return app;
}

function printBatch({ id, items }: RenderBatch): void {
  for (const item of items) console.log(id, item.url, item.error?.code ?? item.signed_url ?? item.status);
}

if (import.meta.main) {
  const { SNAP_SIGNING_SECRET, PORT = "8080" } = process.env;
  if (!SNAP_SIGNING_SECRET) {
    console.error("Set SNAP_SIGNING_SECRET: that of the token which submits the batches.");
    process.exit(1);
  }
  createApp(SNAP_SIGNING_SECRET, printBatch).listen(Number(PORT));
}
