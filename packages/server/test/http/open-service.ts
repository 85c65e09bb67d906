import { createEngine, type Ability, type Engine, type EngineOptions } from "@snap/engine";
import {
  createFakeClock,
  createFakeMachine,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createFakeWebhookSender,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
  type FakeRendererOptions,
  type FakeWebhookSender,
} from "@snap/testing";
import type { Storage } from "@snap/engine/ports";
import { createHmac } from "node:crypto";
import { request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import type { AdminOptions } from "../../src/http/admin.ts";
import { startService, type Service } from "../../src/http/service.ts";
import type { DemoAccess } from "../../src/pages/start-page.ts";
import { createLogger } from "../../src/operations/logger.ts";
import { createMetrics } from "../../src/operations/metrics/create-metrics.ts";
import { watchBatches } from "../../src/operations/watch-batches.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
/** When the credits of an account created at `START_MS` reset, a month later: the value of `X-Credits-Reset`. */
export const RESET_SECONDS = "1775044800";
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Customer {
  readonly id: string;
  readonly token: string;
  readonly tokenId: number;
  readonly signingSecret: string;
}

export interface CustomerOptions {
  readonly credits?: number;
  readonly requestsPerMinute?: number;
  readonly abilities?: readonly Ability[];
  readonly planSlug?: string | null;
  readonly verified?: boolean;
}

export interface TestService {
  readonly engine: Engine;
  readonly service: Service;
  readonly renderer: FakeRenderer;
  /** The storage from the options, or the in-memory one. */
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly webhookSender: FakeWebhookSender;
  /** Log lines so far. */
  readonly lines: readonly Record<string, unknown>[];
  /** The log so far, as it was written. */
  readonly text: () => string;
  /** Resolves once the log contains `count` lines with this message; 1 by default. */
  readonly whenLogged: (message: string, count?: number) => Promise<void>;
  readonly customer: (options?: CustomerOptions) => Promise<Customer>;
  /** Sends one request on a new connection. */
  readonly send: (path: string, options?: RequestOptions) => Promise<Reply>;
  /** `GET /v1/snap` with this query. */
  readonly snap: (query: Record<string, string> | string, options?: RequestOptions) => Promise<Reply>;
  /** Sends raw bytes; resolves with everything received until the service closes the connection. */
  readonly sendRaw: (bytes: string | Buffer) => Promise<string>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface OpenOptions {
  readonly renderer?: FakeRendererOptions;
  readonly metrics?: boolean;
  /** Whether a worker processes batches; by default they are only queued. */
  readonly worker?: boolean;
  readonly publicUrl?: string;
  readonly drainDelayMs?: number;
  readonly drainTimeoutMs?: number;
  /** Maximum number of concurrent renders; the engine's default if omitted. */
  readonly concurrency?: number;
  readonly unreadTimeoutMs?: number;
  readonly endpoints?: "all" | "operations";
  readonly trustProxy?: number | readonly string[];
  /** The admin API and the console; none by default. */
  readonly admin?: AdminOptions;
  /** What the forms at `/` and `/docs` are filled in with; nothing by default. */
  readonly demo?: DemoAccess;
  /** How long the history is stored; by default nothing is recorded. */
  readonly historyRetentionMs?: number | null;
  /** Where callers can have renderings stored; none by default. */
  readonly stores?: EngineOptions["stores"];
  /** In memory by default. */
  readonly storage?: Storage;
  /** `info` by default. */
  readonly logLevel?: string;
  /** Initial time of the fake clock. */
  readonly startMs?: number;
}

/** Starts the service on a free loopback port, with fakes and, by default, an in-memory storage. */
export async function openService(options: OpenOptions = {}): Promise<TestService> {
  const { storage = createMemoryStorage() } = options;
  const renderer = createFakeRenderer(options.renderer);
  const clock = createFakeClock(options.startMs ?? START_MS);
  const webhookSender = createFakeWebhookSender();
  const lines: Record<string, unknown>[] = [];
  let written = "";
  const checks = new Set<() => void>();
  const logger = createLogger(options.logLevel ?? "info", {
    write(line) {
      written += line;
      lines.push(JSON.parse(line) as Record<string, unknown>);
      for (const check of checks) check();
    },
  });
  const metrics = options.metrics === true && createMetrics();
  const publicUrl = options.publicUrl ?? "https://snap.example.com";
  const engine = createEngine({
    storage,
    historyRetentionMs: options.historyRetentionMs ?? null,
    stores: options.stores ?? {},
    renderer,
    secretKey: "a key for these tests",
    clock,
    machine: createFakeMachine(),
    random: createFakeRandom(1),
    resolver: createFakeResolver({
      "example.com": ["93.184.215.14"],
      "inside.example.com": ["10.0.0.1"],
      "down.example.com": "fails",
    }),
    baseUrl: `${publicUrl}/v1`,
    ...watchBatches({ logger, metrics }),
    ...(metrics && { onEvent: metrics.countEvent }),
    webhookSender,
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
  });
  if (options.worker === true) engine.startWorker();
  const service = await startService({
    engine,
    host: "127.0.0.1",
    port: 0,
    publicUrl,
    logger,
    metrics,
    ...(options.endpoints !== undefined && { endpoints: options.endpoints }),
    ...(options.demo !== undefined && { demo: options.demo }),
    ...(options.admin !== undefined && { admin: options.admin }),
    ...(options.trustProxy !== undefined && { trustProxy: options.trustProxy }),
    ...(options.drainDelayMs !== undefined && { drainDelayMs: options.drainDelayMs }),
    ...(options.drainTimeoutMs !== undefined && { drainTimeoutMs: options.drainTimeoutMs }),
    ...(options.unreadTimeoutMs !== undefined && { unreadTimeoutMs: options.unreadTimeoutMs }),
  });
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });

  const send = (path: string, { token, ...rest }: RequestOptions = {}): Promise<Reply> => {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    return exchange(service.origin, path, { ...rest, headers: { ...authorization, ...rest.headers } });
  };
  return {
    engine,
    service,
    renderer,
    storage,
    clock,
    webhookSender,
    lines,
    text: () => written,
    async whenLogged(message, count = 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = (): void => {
        if (lines.filter(({ msg }) => msg === message).length >= count) resolve();
      };
      checks.add(check);
      check();
      await promise;
      checks.delete(check);
    },
    send,
    snap: (query, init) => send(`/v1/snap?${new URLSearchParams(query).toString()}`, init),
    sendRaw: (bytes) => sendRaw(service.origin, bytes),
    async customer({
      credits = 1000,
      requestsPerMinute = 1000,
      abilities,
      planSlug = "starter",
      verified = true,
    } = {}) {
      const account = await engine.accounts.create({
        email: `${crypto.randomUUID()}@example.com`,
        planSlug,
        creditsPerPeriod: credits,
        requestsPerMinute,
        verified,
      });
      const { record, token, signingSecret } = await engine.tokens.create({
        accountId: account.id,
        ...(abilities && { abilities }),
      });
      return { id: account.id, token, tokenId: record.id, signingSecret };
    },
  };
}

/** Signs a query as specified, without using the code under test. */
export function signedQuery(
  parameters: Readonly<Record<string, string | number>>,
  signingSecret: string,
): string {
  const encode = (text: string): string =>
    Array.from(Buffer.from(text), (byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }).join("");
  const canonical = Object.entries(parameters)
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join("&");
  const signature = createHmac("sha256", signingSecret).update(`snap-signed-v1\n${canonical}`).digest("hex");
  return `${canonical}&signature=${signature}`;
}

export function exchange(
  origin: string,
  path: string,
  { method = "GET", headers = {}, body }: Omit<RequestOptions, "token">,
): Promise<Reply> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const clientRequest = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        resolve({ status, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    clientRequest.on("error", reject);
    clientRequest.end(body);
  });
}

function sendRaw(origin: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("end", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

/** The error envelope. */
export interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly errors?: Record<string, string[]>;
  readonly request_id: string;
}

export function envelopeOf(reply: Reply): Envelope {
  return jsonOf(reply) as Envelope;
}

export function jsonOf({ body }: Reply): unknown {
  return JSON.parse(body.toString("utf8"));
}
