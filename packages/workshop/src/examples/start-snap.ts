import { createEngine, parseAllowedTargets } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { createLogger, startService } from "@snap/server";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A service that runs, and a customer of it. */
export interface RunningSnap {
  readonly baseUrl: string;
  readonly token: string;
  readonly tokenId: number;
  readonly signingSecret: string;
  stop(): Promise<void>;
}

/** The service with real Chromium on a free port of the loopback, and an account with ten credits. */
export async function startSnap({ allowTargets }: { readonly allowTargets: string }): Promise<RunningSnap> {
  const targets = { allow: parseAllowedTargets(allowTargets), ownHostnames: [] };
  const directory = await mkdtemp(join(tmpdir(), "snap-example-"));
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: createPuppeteerRenderer({ policy: targets }),
    secretKey: "a key for the examples",
    targets,
  });
  const service = await startService({
    engine,
    host: "127.0.0.1",
    port: 0,
    publicUrl: "https://snap.example.com",
    logger: createLogger("silent"),
    metrics: false,
  });
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    creditsPerPeriod: 10,
    verified: true,
  });
  const { token, record, signingSecret } = await engine.tokens.create({ accountId: account.id });
  return {
    baseUrl: `${service.origin}/v1`,
    token,
    tokenId: record.id,
    signingSecret,
    async stop() {
      await service.stop();
      await engine.close();
      await rm(directory, { recursive: true });
    },
  };
}
