import { checkReceiver } from "@snap/workshop/examples/check-receiver";
import { createHandler } from "./main.ts";
import { serve } from "./serve.ts";

await checkReceiver((signingSecret, handle) => serve(createHandler(signingSecret, handle)));
console.log("receive-webhooks-web: handles a batch once, and only valid deliveries");
