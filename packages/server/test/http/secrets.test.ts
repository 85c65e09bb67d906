// @module-tag browser

import { createEngine } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import type { RenderBatch } from "@snap/protocol";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { createTemporaryDirectory } from "../../../testing/test/servers/temporary-directory.ts";
import { startService } from "../../src/http/service.ts";
import { createLogger } from "../../src/operations/logger.ts";
import { createMetrics } from "../../src/operations/metrics/create-metrics.ts";
import { watchBatches } from "../../src/operations/watch-batches.ts";
import { CLIENTS } from "../mcp/clients.ts";
import { envelopeOf, openService, signedQuery } from "./open-service.ts";

const SECRETS = {
  headers: { "X-Preview": "s3cr3t-header" },
  cookies: [{ name: "session", value: "s3cr3t-cookie" }],
  basicAuth: "ada:s3cr3t-password",
};
/** Matches `s3cr3t`, which every secret contains, its Base64 and hex, and `basicAuth` in Base64. */
const TRACES = /s3cr3t|YWRhOnMzY3IzdC1wYXNzd29yZA|czNjcjN0|733363723374/i;

async function serve(handler: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(handler))}`;
}

interface RealService {
  readonly origin: string;
  readonly token: string;
  readonly tokenId: number;
  readonly signingSecret: string;
  readonly directory: string;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts the service with the embedded storage, Chromium and a worker. */
async function openRealService(): Promise<RealService> {
  const directory = await createTemporaryDirectory();
  let log = "";
  const logger = createLogger("trace", { write: (line) => void (log += line) });
  const metrics = createMetrics();
  const targets = {
    allow: [{ kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: null }],
    ownHostnames: [],
  } as const;
  const engine = createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: createPuppeteerRenderer({ targets, onEvent: (event) => logger.info(event, "renderer") }),
    secretKey: "a key for this test",
    targets,
    baseUrl: "https://snap.example.com/v1",
    ...watchBatches({ logger, metrics }),
    onEvent: (event) => logger.info(event, "engine"),
    onBackgroundError: (error) => logger.error(error, "background"),
  });
  engine.startWorker();
  const publicUrl = "https://snap.example.com";
  const service = await startService({ engine, host: "127.0.0.1", port: 0, publicUrl, logger, metrics });
  const stop = async (): Promise<void> => {
    await service.stop();
    await engine.close();
  };
  onTestFinished(stop);
  const { id: accountId } = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    requestsPerMinute: 100,
    verified: true,
  });
  const { token, record, signingSecret } = await engine.tokens.create({ accountId });
  return {
    origin: service.origin,
    token,
    tokenId: record.id,
    signingSecret,
    directory,
    log: () => log,
    stop,
  };
}

/** The bytes of all files in a folder, as text. */
async function readFolder(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")),
  );
  return contents.join("\n");
}

function queryOf(parameters: object): string {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs).toString();
}

describe("a secret", () => {
  it("reaches the page, and appears in no response, log, metric or file", async () => {
    const service = await openRealService();
    const received: IncomingHttpHeaders[] = [];
    const delivered = Promise.withResolvers<string>();
    const site = await serve(({ headers }, response) => {
      received.push(headers);
      response.setHeader("content-type", "text/html").end("<h1>members only</h1>");
    });
    const receiver = await serve((request, response) => {
      response.end();
      text(request).then(delivered.resolve, delivered.reject);
    });
    const authorization = { authorization: `Bearer ${service.token}` };
    const seen: string[] = [];
    const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const headers = { ...authorization, ...(init.body != null && { "content-type": "application/json" }) };
      const response = await fetch(service.origin + path, { ...init, headers });
      seen.push(JSON.stringify([...response.headers]), await response.clone().text());
      return response;
    };

    const shown = { url: `${site}/`, waitUntil: "load", ...SECRETS };
    const first = await send(`/v1/snap?${queryOf(shown)}`);
    expect([first.status, first.headers.get("x-cache")]).toEqual([200, "MISS"]);
    expect((await send(`/v1/snap?${queryOf(shown)}`)).headers.get("x-cache")).toBe("HIT");
    expect(received[0]).toMatchObject({
      "x-preview": "s3cr3t-header",
      cookie: "session=s3cr3t-cookie",
      authorization: "Basic YWRhOnMzY3IzdC1wYXNzd29yZA==",
    });

    const items = [
      { ...shown, url: `${site}/batch` },
      { url: `${site}/batch`, pdf: true, ...SECRETS },
      // rejected by the browser
      { url: `${site}/refused`, cookies: [{ name: "__Host-refused", value: "s3cr3t-refused" }] },
    ];
    const submitted = await send("/v1/renders", {
      method: "POST",
      body: JSON.stringify({ items, webhookUrl: `${receiver}/hook` }),
    });
    expect(submitted.status).toBe(202);
    seen.push(await delivered.promise);
    const { id } = (await submitted.json()) as RenderBatch;
    const batch = (await (await send(`/v1/renders/${id}`)).json()) as RenderBatch;
    expect(batch.items).toMatchObject([
      { status: "done", signed_url: null },
      { status: "done", signed_url: null },
      { status: "failed", error: { code: "validation_failed" }, signed_url: null },
    ]);

    const failures: readonly (readonly [object, number])[] = [
      [{ ...shown, url: "http://127.0.0.1:1/" }, 422],
      [{ ...shown, url: "http://10.0.0.1/" }, 422],
      [{ ...shown, selector: "#missing" }, 500],
      [{ ...shown, cookies: [{ name: "__Host-refused", value: "s3cr3t-refused" }] }, 422],
      [{ ...shown, headers: { Host: "s3cr3t" } }, 422],
      [{ ...shown, headers: "s3cr3t" }, 422],
      [{ ...shown, cookies: "[s3cr3t" }, 422],
      [{ ...shown, cookies: [{ name: "s", value: "s3cr3t", domain: "example.com" }] }, 422],
      [{ ...shown, basicAuth: "s3cr3t" }, 422],
      [{ ...shown, headers: { Authorization: "Bearer s3cr3t" } }, 422],
      [{ ...shown, selector: "" }, 422],
    ];
    for (const [parameters, status] of failures)
      expect([parameters, (await send(`/v1/snap?${queryOf(parameters)}`)).status]).toEqual([
        parameters,
        status,
      ]);

    const session = await CLIENTS["the older client"]({ origin: service.origin, token: service.token });
    for (const tool of ["take-screenshot", "create-pdf"])
      for (const path of ["/tool", "/tool#refused"]) {
        const cookies = path === "/tool" ? SECRETS.cookies : [{ name: "__Secure-refused", value: "s3cr3t" }];
        seen.push(JSON.stringify(await session.call(tool, { url: site + path, ...SECRETS, cookies })));
      }

    const signed = signedQuery(
      { url: `${site}/`, basicAuth: SECRETS.basicAuth, tokenId: service.tokenId },
      service.signingSecret,
    );
    expect((await send(`/v1/snap/signed?${signed}`)).status).toBe(422);
    await send("/metrics");
    const stored = await readFolder(service.directory);
    await service.stop();
    for (const response of seen) expect(response).not.toMatch(TRACES);
    expect(service.log()).not.toMatch(TRACES);
    expect(service.log()).toContain('"request"');
    expect(stored).toContain(`${site}/batch`);
    expect(stored).not.toMatch(TRACES);
    expect(await readFolder(service.directory)).not.toMatch(TRACES);
  });
});

describe("a signed URL", () => {
  const message =
    "cannot be part of a signed URL, because anyone can read it; send the request with a token instead";

  it.each([
    ["headers", '{"X-Preview":"s3cr3t"}'],
    ["cookies", '[{"name":"session","value":"s3cr3t"}]'],
    ["basicAuth", "ada:s3cr3t"],
  ])("with %s is rejected once its signature is verified", async (name, value) => {
    const service = await openService();
    const { tokenId, signingSecret } = await service.customer();
    const parameters = { url: "https://example.com/", [name]: value, tokenId };
    const reply = await service.send(`/v1/snap/signed?${signedQuery(parameters, signingSecret)}`);
    expect(reply.status).toBe(422);
    expect(envelopeOf(reply)).toMatchObject({
      code: "validation_failed",
      message: `${name} ${message}`,
      errors: { [name]: [message] },
    });
    const forged = await service.send(`/v1/snap/signed?${signedQuery(parameters, "another secret")}`);
    expect([forged.status, envelopeOf(forged).errors]).toEqual([403, undefined]);
    expect(service.text()).not.toContain("s3cr3t");
    expect(service.renderer.calls).toEqual([]);
  });
});
