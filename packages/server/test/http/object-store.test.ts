import type { RenderedFile, Renderer } from "@snap/engine/ports";
import { createFakeRenderer, type FakeRenderer } from "@snap/testing";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  openObjectStore,
  STORE_CREDENTIALS,
  type ObjectStoreServer,
} from "../../../testing/test/servers/object-store.ts";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { readConfig } from "../../src/config.ts";
import { serveEngine } from "./serve-engine.ts";
import { openEngine } from "../../src/wire.ts";
import { openWorkspace } from "../cli/command.ts";
import { envelopeOf, exchange, type Reply, type RequestOptions } from "./open-service.ts";

/* The service as it is configured and assembled, with its cached renderings in an object store. */

const url = "https://93.184.215.14/";

let server: ObjectStoreServer;
let directory: string;
beforeAll(async () => {
  server = await openObjectStore();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.clear();
  directory = await createTemporaryDirectory();
  const { region, bucket, accessKeyId, secretAccessKey } = STORE_CREDENTIALS;
  const store = { endpoint: server.origin, region, bucket, accessKeyId, secretAccessKey };
  const stores = { archive: { ...store, prefix: "archive" }, cache: store };
  await writeFile(join(directory, "stores.json"), JSON.stringify(stores));
});

/** Renders files that are too large to be stored outside the bucket. */
function createLargeRenderer(): FakeRenderer {
  const renderer = createFakeRenderer();
  const render: Renderer["render"] = async (...request): Promise<RenderedFile> => {
    const file = await renderer.render(...request);
    return { ...file, bytes: Buffer.concat([file.bytes, Buffer.alloc(50_000)]) };
  };
  return { ...renderer, render };
}

interface Opened {
  readonly renderer: FakeRenderer;
  readonly engine: Awaited<ReturnType<typeof openEngine>>;
  readonly errors: readonly unknown[];
  readonly customer: () => Promise<{ readonly id: string; readonly token: string }>;
  readonly snap: (query: Readonly<Record<string, string>>, options: RequestOptions) => Promise<Reply>;
  readonly stop: () => Promise<void>;
}

/** Starts the service on the data folder of the test. */
async function open(variables: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const { config } = readConfig({
    SNAP_DATA_DIR: join(directory, "data"),
    SNAP_STORES_FILE: join(directory, "stores.json"),
    SNAP_OBJECT_STORE: "cache",
    ...variables,
  });
  const renderer = createLargeRenderer();
  const errors: unknown[] = [];
  const engine = await openEngine(config, {
    renderer,
    createsDatabase: true,
    onBackgroundError: (error) => errors.push(error),
  });
  const service = await serveEngine(engine);
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await service.stop();
    await engine.close();
  };
  onTestFinished(stop);
  return {
    renderer,
    engine,
    errors,
    async customer() {
      const email = `${crypto.randomUUID()}@example.com`;
      const account = await engine.accounts.create({ email, planSlug: "starter", verified: true });
      const { token } = await engine.tokens.create({ accountId: account.id });
      return { id: account.id, token };
    },
    snap: (query, { token, headers }) =>
      exchange(service.origin, `/v1/snap?${new URLSearchParams(query).toString()}`, {
        headers: { Authorization: `Bearer ${token}`, ...headers },
      }),
    stop,
  };
}

const keys = (): string[] => [...server.objects.keys()];

describe("SNAP_OBJECT_STORE", () => {
  it("serves hits from the bucket after a restart, and 304 without reading it", async () => {
    const first = await open();
    const { id, token } = await first.customer();
    const rendered = await first.snap({ url }, { token });
    expect([rendered.status, rendered.headers["x-cache"], rendered.body.length > 50_000]).toEqual([
      200,
      "MISS",
      true,
    ]);
    expect(keys()).toEqual([expect.stringMatching(new RegExp(`^cache/\\d{4}-\\d\\d-\\d\\d/${id}/\\w{32}$`))]);
    expect([...server.objects.values()][0]?.bytes).toEqual(rendered.body);
    await first.stop();

    const second = await open();
    const hit = await second.snap({ url }, { token });
    expect(hit.headers).toMatchObject({ "x-cache": "HIT", etag: rendered.headers.etag });
    expect(hit.body).toEqual(rendered.body);
    const requests = server.requests();
    const held = await second.snap(
      { url },
      { token, headers: { "If-None-Match": String(rendered.headers.etag) } },
    );
    expect([held.status, held.body.length, server.requests()]).toEqual([304, 0, requests]);
    expect(second.renderer.calls).toEqual([]);
  });

  it("does not serve an account's rendering to another account", async () => {
    const service = await open();
    const [one, other] = [await service.customer(), await service.customer()];
    await service.snap({ url }, one);
    expect((await service.snap({ url }, other)).headers["x-cache"]).toBe("MISS");
    expect(keys()).toHaveLength(2);
  });

  it("offers callers only the other stores", async () => {
    const service = await open();
    const { token } = await service.customer();
    const refused = await service.snap({ url, storeTo: "cache" }, { token });
    expect([refused.status, envelopeOf(refused).errors]).toEqual([
      422,
      { storeTo: ["is not the name of a store; use archive"] },
    ]);
    const stored = await service.snap({ url, storeTo: "archive", storeKey: "a.png" }, { token });
    expect(stored.status).toBe(200);
    expect(keys().filter((key) => key.startsWith("archive/"))).toHaveLength(1);
  });

  it("deletes the objects of purged renderings and of deleted accounts", async () => {
    const service = await open();
    const [one, other] = [await service.customer(), await service.customer()];
    for (const { token } of [one, other]) await service.snap({ url }, { token });
    await service.engine.accounts.delete(one.id);
    expect(keys()).toEqual([expect.stringContaining(`/${other.id}/`)]);
    expect(await service.engine.purgeRenderings({ accountId: null })).toBe(1);
    expect(keys()).toEqual([]);
    expect((await service.snap({ url }, other)).headers["x-cache"]).toBe("MISS");
  });

  it("renders again while the bucket is down, charges each render once, and reports the outage once", async () => {
    const before = await open();
    const { token } = await before.customer();
    await before.snap({ url }, { token });
    await before.stop();

    for (const method of ["GET", "PUT"]) server.failMethod(method, 503);
    const service = await open();
    const replies = [await service.snap({ url }, { token }), await service.snap({ url }, { token })];
    expect(replies.map(({ status, headers }) => [status, headers["x-cache"]])).toEqual([
      [200, "MISS"],
      [200, "MISS"],
    ]);
    expect(replies.map(({ headers }) => headers["x-credits-remaining"])).toEqual(["998", "997"]);
    expect(service.errors).toEqual([
      new Error(
        "The object store for cached renderings is failing: 503 SlowDown. Large renderings are not cached until it works again.",
      ),
    ]);
  });

  it("renders again if a restored backup points to missing objects", async () => {
    const before = await open();
    const { token } = await before.customer();
    const rendered = await before.snap({ url }, { token });
    await before.stop();
    const workspace = openWorkspace();
    onTestFinished(() => workspace.cleanUp());
    const file = join(directory, "snap.tar");
    const [from, to] = [join(directory, "data"), join(directory, "restored")];
    expect(await workspace.json(["backup", file], { SNAP_DATA_DIR: from })).toMatchObject({ renderings: 1 });
    server.objects.clear();
    await mkdir(to);
    await copyFile(join(from, "secret.key"), join(to, "secret.key"));
    await workspace.json(["restore", file], { SNAP_DATA_DIR: to });
    const restored = await open({ SNAP_DATA_DIR: to });
    const reply = await restored.snap({ url }, { token });
    expect([reply.status, reply.headers["x-cache"]]).toEqual([200, "MISS"]);
    expect(reply.body).toEqual(rendered.body);
    expect((await restored.snap({ url }, { token })).headers["x-cache"]).toBe("HIT");
  });

  it("starts while the bucket is down, with a warning", async () => {
    const workspace = openWorkspace({
      SNAP_DATA_DIR: join(directory, "data"),
      SNAP_STORES_FILE: join(directory, "stores.json"),
      SNAP_OBJECT_STORE: "cache",
      SNAP_PORT: "0",
      // a remote browser that does not exist, so no local one is started
      SNAP_BROWSER_URL: "ws://127.0.0.1:9",
      SNAP_BROWSER_EGRESS: "direct",
    });
    onTestFinished(() => workspace.cleanUp());
    server.failMethod("HEAD", 503);
    const service = workspace.start(["serve"]);
    await service.whenPrinted(/"msg":"listening"/);
    const [warning] = await service.whenPrinted(/"msg":"object store [^"]*/);
    expect(warning).toContain("cache (bucket renderings at");
    expect(warning).toContain("): 503; correct the endpoint of cache in SNAP_STORES_FILE");
  });

  it("can be unset again: entries that point to the bucket become cache misses", async () => {
    const before = await open();
    const { token } = await before.customer();
    const rendered = await before.snap({ url }, { token });
    await before.stop();
    const without = await open({ SNAP_OBJECT_STORE: "" });
    const reply = await without.snap({ url }, { token });
    expect([reply.status, reply.headers["x-cache"]]).toEqual([200, "MISS"]);
    expect(reply.body).toEqual(rendered.body);
    expect((await without.snap({ url }, { token })).headers["x-cache"]).toBe("HIT");
  });
});
