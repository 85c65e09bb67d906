import { checkReceiver } from "./check-receiver.ts";
import { createServer } from "node:http";
import { createApp } from "../../../../examples/receive-webhooks-express/main.ts";

await checkReceiver((signingSecret, handle) => createServer(createApp(signingSecret, handle)));
console.log("receive-webhooks-express: handles a batch once, and only valid deliveries");
