import { createEngine, type Engine, type Plan } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import type { Storage } from "@snap/engine/ports";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { ensureDemoToken } from "../../src/dev/demo-account.ts";

function planNamed(slug: string): Plan {
  return { slug, name: slug, creditsPerPeriod: 100, requestsPerMinute: 20 };
}

function openEngine(storage: Storage, plans: readonly Plan[]): Engine {
  const secretKey = "a key of more than 16 characters";
  const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey, plans });
  onTestFinished(() => engine.close());
  return engine;
}

it("ensureDemoToken() creates the data folder, which a service with PostgreSQL may lack", async () => {
  const plans = [planNamed("team")];
  const dataDir = join(await createTemporaryDirectory(), "data");
  const token = await ensureDemoToken(openEngine(createMemoryStorage(), plans), { dataDir, plans });
  expect(await readFile(join(dataDir, "demo-token"), "utf8")).toBe(`${token}\n`);
  expect((await stat(join(dataDir, "demo-token"))).mode & 0o777).toBe(0o600);
});

it("ensureDemoToken() gives the demo account another plan if its plan is gone", async () => {
  const storage = createMemoryStorage();
  const dataDir = await createTemporaryDirectory();
  for (const slug of ["growth", "team"]) {
    const plans = [planNamed(slug)];
    const engine = openEngine(storage, plans);
    const { account } = await engine.authenticate(await ensureDemoToken(engine, { dataDir, plans }));
    expect(account.planSlug).toBe(slug);
  }
});
