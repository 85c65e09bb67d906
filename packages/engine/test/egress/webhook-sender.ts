import { createFakeResolver } from "@snap/testing";
import { onTestFinished } from "vitest";
import { createWebhookSender, type WebhookSenderOptions } from "../../src/egress/webhook-sender.ts";
import type { WebhookOutcome, WebhookSender } from "../../src/ports/webhook-sender.ts";
import { parseAllowedTargets } from "../../src/targets/policy.ts";
import { serveTcp } from "./lane.ts";

/** A sender that may reach the loopback, unless told otherwise, and closes with the test. */
export function openSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const sender = createWebhookSender({
    policy: { allow: parseAllowedTargets("127.0.0.1,::1"), ownHostnames: [] },
    resolver: createFakeResolver({ "receiver.example.com": ["127.0.0.1"] }),
    ...options,
  });
  onTestFinished(() => sender.close());
  return sender;
}

export function send(sender: WebhookSender, url: string): Promise<WebhookOutcome> {
  return sender.send({ url, headers: { "Content-Type": "application/json" }, body: Buffer.from("{}") });
}

export const answered = (status: number, retryAfterMs: number | null = null): WebhookOutcome => ({
  kind: "answered",
  status,
  retryAfterMs,
});

export const failed = (reason: string): object => ({ kind: "failed", reason });

/** A receiver that says `text`, as it is, once a request has begun to come. */
export function serveText(text: string): Promise<number> {
  return serveTcp((socket) => void socket.once("data", () => socket.end(text, "latin1")));
}

/** A receiver that says `text` and then nothing more. */
export async function serveHang(
  text = "",
): Promise<{ readonly port: number; readonly reached: Promise<void>; readonly left: Promise<void> }> {
  const reached = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const port = await serveTcp((socket) => {
    socket.once("end", () => socket.end());
    socket.once("close", () => left.resolve());
    socket.once("data", () => socket.write(text, () => reached.resolve()));
  });
  return { port, reached: reached.promise, left: left.promise };
}
