import { webhookHandler, type RenderBatch } from "@snap/client/webhooks";
import { serve } from "./serve.ts";

/** Calls `handle` for each finished batch. If it throws, the response is 500 and the service retries the delivery. */
export function createHandler(
  signingSecret: string,
  handle: (batch: RenderBatch) => unknown,
): (request: Request) => Promise<Response> {
  // a batch can be delivered again, even while `handle` is running; to recognize it after a restart, store the ids in a database
  const calls = new Map<string, Promise<unknown>>();
  const receive = webhookHandler(signingSecret, async (batch) => {
    const call = calls.get(batch.id) ?? (async () => handle(batch))();
    calls.set(batch.id, call);
    call.catch(() => calls.delete(batch.id));
    await call;
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
    console.error("Set SNAP_SIGNING_SECRET to the signing secret of the token that submits the batches.");
    process.exit(1);
  }
  serve(createHandler(SNAP_SIGNING_SECRET, printBatch)).listen(Number(PORT));
}
