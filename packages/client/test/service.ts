import { createEngine, type Ability, type EngineOptions, type Renderer } from "@snap/engine";
import { createLogger, startService } from "@snap/server";
import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
  type FakeRenderer,
  type FakeRendererOptions,
} from "@snap/testing";
import { onTestFinished } from "vitest";
import { findFreePort } from "../../testing/test/servers/free-port.ts";
import { createClient, type ClientOptions, type SnapClient } from "../src/index.ts";

/** The credentials of a new account's token. */
export interface Customer {
  readonly token: string;
  readonly tokenId: number;
  readonly signingSecret: string;
}

export interface TestService {
  readonly baseUrl: string;
  readonly customer: (account?: AccountOptions) => Promise<Customer>;
  /** Creates a client for a new customer. */
  readonly client: (account?: AccountOptions, options?: Partial<ClientOptions>) => Promise<SnapClient>;
}

export interface AccountOptions {
  readonly credits?: number;
  readonly requestsPerMinute?: number;
  readonly abilities?: readonly Ability[];
  readonly verified?: boolean;
}

const START_MS = Date.parse("2026-03-01T12:00:00Z");

/** Opens the real server with a fake renderer for the pages of example.com. */
export async function openService(
  rendererOptions?: FakeRendererOptions,
  engineOptions?: Partial<EngineOptions>,
): Promise<TestService & { renderer: FakeRenderer }> {
  const renderer = createFakeRenderer(rendererOptions);
  return { renderer, ...(await serve(renderer, engineOptions)) };
}

/** Opens the real server on a free loopback port, with an engine whose storage is in memory. */
export async function serve(
  renderer: Renderer,
  engineOptions?: Partial<EngineOptions>,
): Promise<TestService> {
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer,
    secretKey: "a key for these tests",
    clock: createFakeClock(START_MS),
    random: createFakeRandom(1),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    baseUrl: `${publicUrl}/v1`,
    ...engineOptions,
  });
  engine.startWorker();
  const service = await startService({
    engine,
    host: "127.0.0.1",
    port,
    publicUrl,
    logger: createLogger("silent"),
    metrics: false,
  });
  onTestFinished(async () => {
    await service.stop();
    await engine.close();
  });
  const baseUrl = `${service.origin}/v1`;
  const customer: TestService["customer"] = async ({
    credits = 1000,
    requestsPerMinute = 1000,
    abilities,
    verified = true,
  } = {}) => {
    const account = await engine.accounts.create({
      email: `${crypto.randomUUID()}@example.com`,
      planSlug: "starter",
      creditsPerPeriod: credits,
      requestsPerMinute,
      verified,
    });
    const created = await engine.tokens.create({ accountId: account.id, ...(abilities && { abilities }) });
    return { token: created.token, tokenId: created.record.id, signingSecret: created.signingSecret };
  };
  return {
    baseUrl,
    customer,
    async client(account, clientOptions) {
      const { token, signingSecret } = await customer(account);
      return createClient({ baseUrl, token, signingSecret, ...clientOptions });
    },
  };
}
