import { createEngine, isSnapError, parseTargetList, type Engine } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { openSqliteStorage } from "@snap/storage-sqlite";
import express, { type ErrorRequestHandler, type Express } from "express";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";

type Settings = { readonly directory: string; readonly secretKey: string; readonly allowTargets?: string };

/** `allowTargets` lists the private hosts to allow; by default only public pages are rendered. */
export async function openEngine({ directory, secretKey, allowTargets = "" }: Settings): Promise<Engine> {
  const targets = { allow: parseTargetList(allowTargets), ownHostnames: [] };
  return createEngine({
    storage: await openSqliteStorage({ directory }),
    renderer: createPuppeteerRenderer({ targets }),
    secretKey,
  });
}

/** `GET /preview?url=https://example.com` returns an image of the page; `GET /v1/snap/signed` serves signed URLs. */
export async function createApp(engine: Engine): Promise<Express> {
  // one account for all requests; a service with customers creates one account per customer
  const { token } = await engine.accounts.ensure({ email: "previews@example.com" });

  const app = express();
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 passes a rejection to the error handler
  app.get("/preview", async (request, response) => {
    const principal = await engine.authenticate(token);
    const parameters = { url: request.query["url"], width: 1200, height: 630 };
    const { rendering } = await engine.capture({ principal, parameters });
    response.set({ ETag: rendering.etag, "Cache-Control": "public, max-age=3600" });
    response.type(rendering.contentType).send(Buffer.from(rendering.bytes));
  });
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- as above
  app.get("/v1/snap/signed", async (request, response) => {
    const { searchParams } = new URL(request.originalUrl, "http://localhost");
    const { principal, parameters, expiresAt } = await engine.authenticateSigned(searchParams);
    const { rendering, cache, respondedAt } = await engine.capture({ principal, parameters });
    const endsAt = Math.min(rendering.expiresAt, expiresAt ?? rendering.expiresAt);
    const maxAgeSeconds = Math.max(0, Math.floor((endsAt - respondedAt) / 1000));
    response.set({
      ETag: rendering.etag,
      "Cache-Control": cache === "bypass" ? "no-store" : `public, max-age=${maxAgeSeconds}`,
      "Cross-Origin-Resource-Policy": "cross-origin",
      "X-Content-Type-Options": "nosniff",
    });
    response.type(rendering.contentType).send(Buffer.from(rendering.bytes));
  });
  app.use(handleSnapErrors);
  return app;
}

const handleSnapErrors: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!isSnapError(error)) return next(error);
  const { code, message, errors, status, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) response.set("Retry-After", String(retryAfterSeconds));
  response.status(status).json({ code, message, errors });
};

if (import.meta.main) {
  const { SNAP_SECRET_KEY: secretKey, SNAP_ALLOW_TARGETS: allowTargets = "", PORT = "8080" } = process.env;
  if (!secretKey) {
    console.error("Set SNAP_SECRET_KEY to any text of at least 16 characters, and never change it.");
    process.exit(1);
  }
  // use a permanent folder to keep accounts, credits and renderings across restarts
  const directory = await mkdtemp(`${tmpdir()}/previews-`);
  const engine = await openEngine({ directory, secretKey, allowTargets });
  const server = (await createApp(engine)).listen(Number(PORT), (error?: Error) => {
    console.log(error ? `Cannot listen: ${error.message}` : `Listening on port ${PORT}.`);
    if (error) process.exit(1);
  });
  process.once("SIGTERM", () => server.close(() => void engine.close()));
}
