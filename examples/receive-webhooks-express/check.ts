import { checkReceiver } from "@snap/workshop/examples/check-receiver";
import { createServer } from "node:http";
import { createApp } from "./main.ts";

await checkReceiver((signingSecret, act) => createServer(createApp(signingSecret, act)));
console.log("receive-webhooks-express: acts on a batch once, and on genuine deliveries only");
