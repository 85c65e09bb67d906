import { createFakeResolver } from "@snap/testing";
import { onTestFinished } from "vitest";
import { createWebhookSender, type WebhookSenderOptions } from "../../src/egress/webhook-sender.ts";
import type { WebhookOutcome, WebhookSender } from "../../src/ports/webhook-sender.ts";
import { parseTargetList } from "../../src/targets/target-list.ts";
import { serveTcp } from "./egress-proxy.ts";

/** Opens a sender that allows loopback addresses by default; closes it after the test. */
export function openSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const sender = createWebhookSender({
    policy: { allow: parseTargetList("127.0.0.1,::1"), ownHostnames: [] },
    resolver: createFakeResolver({ "receiver.example.com": ["127.0.0.1"] }),
    ...options,
  });
  onTestFinished(() => sender.close());
  return sender;
}

export function send(sender: WebhookSender, url: string): Promise<WebhookOutcome> {
  return sender.send({ url, headers: { "Content-Type": "application/json" }, body: Buffer.from("{}") });
}

export const responded = (
  status: number,
  { retryAfterMs = null, body = "" }: { readonly retryAfterMs?: number | null; readonly body?: string } = {},
): WebhookOutcome => ({
  kind: "responded",
  status,
  retryAfterMs,
  body,
});

export const failed = (reason: string): object => ({ kind: "failed", reason });

/** Starts a receiver that sends `text` verbatim when a request arrives; returns its port. */
export function serveText(text: string): Promise<number> {
  return serveTcp((socket) => void socket.once("data", () => socket.end(text, "latin1")));
}

/** Starts a receiver that sends `text`, then hangs. */
export async function serveThenHang(
  text = "",
): Promise<{ readonly port: number; readonly reached: Promise<void>; readonly disconnected: Promise<void> }> {
  const reached = Promise.withResolvers<void>();
  const disconnected = Promise.withResolvers<void>();
  const port = await serveTcp((socket) => {
    socket.once("end", () => socket.end());
    socket.once("close", () => disconnected.resolve());
    socket.once("data", () => socket.write(text, () => reached.resolve()));
  });
  return { port, reached: reached.promise, disconnected: disconnected.promise };
}
