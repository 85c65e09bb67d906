import { checkReceiver } from "./check-receiver.ts";
import { createHandler } from "../../../../examples/receive-webhooks-web/main.ts";
import { serve } from "../../../../examples/receive-webhooks-web/serve.ts";

await checkReceiver((signingSecret, handle) => serve(createHandler(signingSecret, handle)));
console.log("receive-webhooks-web: handles a batch once, and only valid deliveries");
