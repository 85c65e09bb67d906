import type { RenderBatch } from "@snap/protocol";
import type { Capture } from "../../src/capture.ts";
import { isSnapError } from "../../src/errors.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { checkOutcome } from "./check-outcome.ts";
import type { TestAccount } from "./test-accounts.ts";
import { requestContext, type ClientRequest } from "./history.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

const PAGES = 4;
const WEBHOOK_URL = "https://hooks.example.com/snap";

/** Requests one of a few pages, so many requests are identical. */
export function sendCapture(world: World, process: SimulatedProcess, account: TestAccount): void {
  const { draw, timeline } = world;
  const url = draw.chance(0.03) ? "https://inside.example.com/" : drawPage(world);
  const usesCache = draw.chance(0.8);
  const parameters = {
    url,
    ...(draw.chance(0.1) && { pdf: "true" }),
    ...(usesCache ? draw.chance(0.2) && { cacheTtl: "60" } : { cache: "false" }),
  };
  const query = String(new URLSearchParams(parameters));
  const isLinked = draw.chance(0.1);
  const known = [...world.history.rendered.keys()].at(-1);
  const holds = draw.chance(0.2) ? (etag: string): boolean => etag === known : undefined;
  void send(world, { process, account, url, query, usesCache, isFromLink: false, holds }, async () => {
    const principal = await process.engine.authenticate(account.token);
    const linked = isLinked ? (): boolean => true : undefined;
    const request = { principal, parameters: query, ...(holds && { holds }), ...(linked && { linked }) };
    const capture = await process.engine.capture(request);
    if (isLinked) {
      const link = process.engine.link({
        principal,
        parameters,
        capture,
        baseUrl: "https://snap.example.com/v1",
      });
      const delayMs = draw.between(10, draw.pick([5000, 5000, 80_000]));
      if (link !== null)
        timeline.after(delayMs, () => followLink(world, { url: link.url, page: url, account }));
    }
    return capture;
  });
}

interface NewRequest {
  readonly process: SimulatedProcess;
  readonly account: TestAccount;
  readonly url: string;
  readonly query: string;
  readonly usesCache: boolean;
  readonly isFromLink: boolean;
  /** Whether the client already has the rendering with this entity tag, and needs no bytes. */
  readonly holds?: ((etag: string) => boolean) | undefined;
}

/** Makes a request for a client, and checks its outcome. */
async function send(world: World, sent: NewRequest, capture: () => Promise<Capture>): Promise<void> {
  const { history, trace } = world;
  const { process, account, url, usesCache, holds } = sent;
  const request: ClientRequest = {
    ...sent,
    id: `r${history.requests.length + 1}`,
    accountId: account.accountId,
    storedEtag: null,
    outcome: null,
  };
  history.requests.push(request);
  trace?.(
    process.name,
    `${request.id} ${account.accountId} requests ${url}${usesCache ? "" : " without cache"}`,
  );
  try {
    const { creditCost, cache, rendering } = await requestContext.run(request, capture);
    if (!process.isAlive) return;
    request.outcome = { kind: "rendering", creditCost, cache, etag: rendering.etag };
    if (history.rendered.get(rendering.etag) !== url)
      world.reportViolation("a request gets another page's rendering", request.id);
    const text = Buffer.from(rendering.bytes).toString("latin1", 0, 100);
    if (!text.startsWith(`${url} `) && !holds?.(rendering.etag))
      world.reportViolation("a request gets the wrong bytes", request.id);
  } catch (error) {
    if (!process.isAlive) return;
    if (!isSnapError(error)) throw error;
    request.outcome = { kind: "error", code: error.code };
  }
  trace?.(process.name, `${request.id} gets ${JSON.stringify(request.outcome)}`);
  checkOutcome(world, request, request.outcome);
}

/** Follows a signed URL, served by any process. */
function followLink(
  world: World,
  { url, page, account }: { readonly url: string; readonly page: string; readonly account: TestAccount },
): void {
  const process = pickProcess(world);
  if (process === null) return;
  const { searchParams } = new URL(url);
  const sent = { process, account, url: page, query: "a link", usesCache: true, isFromLink: true };
  void send(world, sent, async () => {
    const { principal, parameters } = await process.engine.authenticateSigned(searchParams);
    return process.engine.capture({ principal, parameters });
  });
}

/** Submits a batch, and polls it until it is complete. */
export async function submitBatch(
  world: World,
  process: SimulatedProcess,
  account: TestAccount,
): Promise<void> {
  const { draw, trace } = world;
  const urls = new Set(Array.from({ length: draw.between(1, 5) }, () => drawPage(world)));
  const document = {
    items: Array.from(urls, (url) => ({ url })),
    ...(draw.chance(0.7) && { webhookUrl: WEBHOOK_URL }),
  };
  const submission = { process };
  world.history.submissions.add(submission);
  const submitted = await tryCall(async () => {
    const principal = await process.engine.authenticate(account.token);
    return process.engine.batches.submit({ principal, document });
  });
  world.history.submissions.delete(submission);
  if (submitted === null) return;
  trace?.(
    process.name,
    `accepts ${submitted.id} of ${account.accountId} with ${submitted.items.length} items`,
  );
  poll(world, account, submitted);
}

/**
 * Polls a batch until it is complete, then requests one of its renderings. Gives up if no process
 * accepts requests.
 */
function poll(world: World, account: TestAccount, last: RenderBatch): void {
  const { draw, timeline } = world;
  const pollOnce = async (): Promise<void> => {
    const process = pickProcess(world);
    if (process === null) return;
    const next = await tryCall(async () => {
      const principal = await process.engine.authenticate(account.token);
      return readBatch(world, process, { principal, last });
    });
    if (next?.status !== "complete") return poll(world, account, next ?? last);
    const item = draw.pick(next.items);
    if (item.signed_url !== null) followLink(world, { url: item.signed_url, page: item.url, account });
  };
  timeline.after(draw.between(2000, 20_000), () => void pollOnce());
}

/** Reads a batch, and checks that finished items have not changed. */
async function readBatch(
  world: World,
  process: SimulatedProcess,
  { principal, last }: { readonly principal: Principal; readonly last: RenderBatch },
): Promise<RenderBatch> {
  const next = await process.engine.batches.get({ principal, batchId: last.id });
  if (last.status === "complete" && next.finished_at !== last.finished_at)
    world.reportViolation("a complete batch changes", last.id);
  for (const [index, item] of last.items.entries()) {
    const { status, etag, credit_cost: creditCost } = next.items[index] ?? {};
    if (item.credit_cost === null) continue;
    if (status !== item.status || etag !== item.etag || creditCost !== item.credit_cost)
      world.reportViolation("a finished item changes", last.id, item.id);
  }
  return next;
}

/** Returns a process that accepts requests, or `null`. */
export function pickProcess({ draw, processes }: World): SimulatedProcess | null {
  const open = processes.filter(({ isAlive, isStopping }) => isAlive && !isStopping);
  return open.length === 0 ? null : draw.pick(open);
}

/** Returns `null` for a failure, which the client can retry later. */
async function tryCall<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isSnapError(error)) return null;
    throw error;
  }
}

function drawPage({ draw }: World): string {
  return `https://example.com/${draw.between(1, PAGES)}`;
}
