import { checkReceiver } from "@snap/workshop/examples/check-receiver";
import { createServer } from "node:http";
import { createApp } from "./main.ts";

await checkReceiver((signingSecret, handle) => createServer(createApp(signingSecret, handle)));
console.log("receive-webhooks-express: handles a batch once, and only valid deliveries");
