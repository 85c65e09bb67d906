import { checkReceiver } from "./check-receiver.ts";
import { createHandler } from "../../../../examples/receive-webhooks-web/main.ts";
import { serve } from "../../../../examples/receive-webhooks-web/serve.ts";

await checkReceiver((signingSecret, act) => serve(createHandler(signingSecret, act)));
console.log("receive-webhooks-web: acts on a batch once, and on genuine deliveries only");
