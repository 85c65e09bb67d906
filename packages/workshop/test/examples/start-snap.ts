import { createEngine, parseTargetList } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { createLogger, startService } from "@snap/server";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";

/** A running service, with the credentials of an account. */
export interface RunningSnap {
  readonly baseUrl: string;
  readonly token: string;
  readonly tokenId: number;
  readonly signingSecret: string;
  stop(): Promise<void>;
}

/** Starts the service with real Chromium on a free loopback port, and creates an account with ten credits. */
export async function startSnap({ allowTargets }: { readonly allowTargets: string }): Promise<RunningSnap> {
  const targets = { allow: parseTargetList(allowTargets), ownHostnames: [] };
  const directory = await mkdtemp(join(tmpdir(), "snap-example-"));
  // The signed URLs of batch items contain the port, so it must be known before the engine is created.
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: createPuppeteerRenderer({ targets }),
    secretKey: "a key for the examples",
    baseUrl: `${publicUrl}/v1`,
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
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    creditsPerPeriod: 10,
    verified: true,
  });
  const { token, record, signingSecret } = await engine.tokens.create({ accountId: account.id });
  return {
    baseUrl: `${publicUrl}/v1`,
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
