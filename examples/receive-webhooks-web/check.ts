import { checkReceiver } from "@snap/workshop/examples/check-receiver";
import { createHandler } from "./main.ts";
import { serve } from "./serve.ts";

await checkReceiver((signingSecret, act) => serve(createHandler(signingSecret, act)));
console.log("receive-webhooks-web: acts on a batch once, and on genuine deliveries only");
