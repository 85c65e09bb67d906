import { webhookHandler, type RenderBatch } from "@snap/client/webhooks";
import { serve } from "./serve.ts";

/** Acts on each finished batch. What `act` throws is answered 500, and the service delivers again. */
export function createHandler(
  signingSecret: string,
  act: (batch: RenderBatch) => unknown,
): (request: Request) => Promise<Response> {
  // A delivery comes again when its acknowledgement was lost. Where it matters, keep the ids in a database.
  const seen = new Set<string>();
  const receive = webhookHandler(signingSecret, async (batch) => {
    if (seen.has(batch.id)) return;
    await act(batch);
    seen.add(batch.id);
  });
  return async (request) => {
    const { pathname } = new URL(request.url);
    return pathname === "/webhooks/snap" ? receive(request) : new Response("not found", { status: 404 });
  };
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
  serve(createHandler(SNAP_SIGNING_SECRET, printBatch)).listen(Number(PORT));
}
