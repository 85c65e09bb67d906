import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "../../src/egress/connect.ts";
import { createWebhookSender } from "../../src/egress/webhook-sender.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";

/*
 * Runs in a separate network namespace, whose loopback interface has public addresses; prints what it reaches there.
 */

const [V4, V6, ADDED] = ["93.184.215.14", "2606:2800:21f::1", "93.184.215.15"] as const;

const ip = (...args: readonly string[]): void => void execFileSync("ip", args);
ip("link", "set", "lo", "up");
ip("address", "add", `${V4}/32`, "dev", "lo");
ip("address", "add", `${V6}/128`, "dev", "lo", "nodad");

const server = createServer((_request, response) => response.writeHead(204).end()).listen(0, "::");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const resolver = { resolve: async () => [V4, V6] };
const policyOf = (allow: string): { allow: ReturnType<typeof parseTargetList>; ownHostnames: [] } => ({
  allow: parseTargetList(allow),
  ownHostnames: [],
});

async function reach(hostname: string, allow = ""): Promise<string> {
  const outcome = await connect({ hostname, port, policy: policyOf(allow), resolver });
  if (typeof outcome === "string") return outcome;
  outcome.destroy();
  return "connected";
}

async function deliver(host: string): Promise<string> {
  const sender = createWebhookSender({ policy: policyOf(""), resolver });
  const outcome = await sender.send({ url: `http://${host}:${port}/`, headers: {}, body: new Uint8Array() });
  await sender.close();
  return outcome.kind === "failed" ? outcome.reason : String(outcome.status);
}

async function waitForOutcome(hostname: string, expected: string): Promise<string> {
  for (;;) if ((await reach(hostname)) === expected) return expected;
}

console.log(
  JSON.stringify({
    address: await reach(V4),
    address6: await reach(V6),
    name: await reach("page.example"),
    webhook: await deliver(V4),
    webhookByName: await deliver("receiver.example"),
    allowed: await reach(V4, V4),
    allowedName: await reach("page.example", "page.example"),
    unassigned: await reach(ADDED),
    assigned: (ip("address", "add", `${ADDED}/32`, "dev", "lo"), await waitForOutcome(ADDED, "blocked")),
  }),
);
server.close();
server.closeAllConnections();
