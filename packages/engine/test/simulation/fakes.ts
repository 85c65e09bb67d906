import { addAbortListener } from "node:events";
import { createFakeResolver } from "@snap/testing";
import { createHash } from "node:crypto";
import { SnapError } from "../../src/errors.ts";
import type { RenderedFile, Renderer } from "../../src/ports/renderer.ts";
import type { Resolver } from "../../src/ports/resolver.ts";
import type { WebhookOutcome, WebhookSender } from "../../src/ports/webhook-sender.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

const RENDER_TIMEOUT_MS = 10_000;
/** The longest render takes longer than render leases and item leases, which must then be renewed. */
const RENDER_DURATIONS_MS = [300, 300, 300, 300, 3000, 3000, 9900];
const ATTEMPT_TIMEOUT_MS = 15_000;
/** Larger than the in-memory cache of some processes. */
const LARGE_BYTES = 100_000;

const PAGE_FAILURES = [
  "blocked_host",
  "target_unreachable",
  "render_failed",
  "render_timeout",
  "upstream_error",
  "upstream_quota_exceeded",
  "upstream_rate_limited",
  "hangs",
] as const;
const RENDER_FAILURES = [...PAGE_FAILURES, "breaks"] as const;

/** Creates a renderer. Every rendering is unique. */
export function createRenderer(world: World, process: SimulatedProcess): Renderer {
  const { draw, history, conditions } = world;
  const all = conditions.isCalm ? PAGE_FAILURES : RENDER_FAILURES;
  // sometimes only a single kind of failure, which then repeats
  const failures = draw.chance(0.3) ? [draw.pick(all)] : all;
  return {
    async render({ url, pdf }) {
      const failure = draw.chance(world.faults.render) ? draw.pick(failures) : null;
      await process.receive(
        failure === "hangs" ? RENDER_TIMEOUT_MS : draw.between(20, draw.pick(RENDER_DURATIONS_MS)),
      );
      world.trace?.(process.name, `renders ${url}: ${failure ?? "ok"}`);
      if (failure === "breaks") throw new Error("the renderer broke");
      if (failure !== null) throw new SnapError(failure === "hangs" ? "render_timeout" : failure, "as drawn");
      const text = `${url} ${history.rendered.size}`;
      const size = draw.chance(0.03) ? LARGE_BYTES : text.length;
      const bytes = Buffer.alloc(size);
      bytes.write(text);
      history.rendered.set(`"${createHash("sha256").update(bytes).digest("hex")}"`, url);
      const file = { bytes: new Uint8Array(bytes), notes: [] };
      return pdf
        ? { ...file, contentType: "application/pdf", targetStatus: null }
        : ({ ...file, contentType: "image/png", targetStatus: 200 } satisfies RenderedFile);
    },
    health: async () => ({ ready: true, reason: null }),
    close: async () => {},
  };
}

const HOSTS = createFakeResolver({ "example.com": ["93.184.215.14"], "inside.example.com": ["10.0.0.1"] });

/** Creates a resolver that sometimes fails, but never takes time: the engine limits lookups in real time. */
export function createResolver(world: World): Resolver {
  return {
    async resolve(hostname) {
      if (world.draw.chance(world.faults.resolver)) throw new Error("the name server does not respond");
      return HOSTS.resolve(hostname);
    },
  };
}

const ACCEPTED: WebhookOutcome = { kind: "responded", status: 204, retryAfterMs: null, body: "" };
const TIMED_OUT: WebhookOutcome = { kind: "failed", reason: "timed-out" };
const REJECTIONS: readonly WebhookOutcome[] = [
  { kind: "responded", status: 500, retryAfterMs: null, body: "" },
  { kind: "responded", status: 503, retryAfterMs: 7000, body: "" },
  { kind: "responded", status: 410, retryAfterMs: null, body: "" },
  { kind: "failed", reason: "unreachable" },
];

const RECEIVER_FAILURES = ["rejects", "hangs"] as const;
const RECEIVER_FAULTS = [...RECEIVER_FAILURES, "response-lost"] as const;

/** Creates a sender whose receivers sometimes reject, hang, or accept without a response. */
export function createWebhookSender(world: World, process: SimulatedProcess): WebhookSender {
  const { draw, history, timeline, conditions } = world;
  const faults = conditions.isCalm ? RECEIVER_FAILURES : RECEIVER_FAULTS;
  return {
    async send({ headers, body, signal }) {
      const fault = draw.chance(world.faults.receiver) ? draw.pick(faults) : null;
      const batchId = headers["X-Webhook-Id"] ?? "";
      await process.receive(draw.between(0, 200));
      const outcome = fault === "rejects" ? draw.pick(REJECTIONS) : fault === null ? ACCEPTED : TIMED_OUT;
      const isAccepted = fault === null || fault === "response-lost";
      world.trace?.(process.name, `sends webhook ${batchId}: ${fault ?? "accepted"}`);
      const status = outcome.kind === "responded" ? outcome.status : null;
      history.receipts.push({ batchId, at: timeline.now, headers, body, status, isAccepted });
      if (fault === "response-lost") history.recordDisturbance(batchId);
      const delayMs = outcome === TIMED_OUT ? ATTEMPT_TIMEOUT_MS : draw.between(0, 200);
      const aborted = Promise.withResolvers<WebhookOutcome>();
      const abort = (): void => {
        history.recordDisturbance(batchId);
        aborted.resolve({ kind: "failed", reason: "broken" });
      };
      // a worker passes the same signal to all attempts
      const listener = signal && addAbortListener(signal, abort);
      const received = await Promise.race([process.receive(delayMs, outcome), aborted.promise]);
      listener?.[Symbol.dispose]();
      return received;
    },
    close: async () => {},
  };
}
