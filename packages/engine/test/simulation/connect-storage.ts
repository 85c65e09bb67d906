import { createMemoryStorage } from "@snap/testing";
import type { Storage } from "../../src/ports/storage.ts";
import type { Connection } from "./connection.ts";
import { requestContext } from "./history.ts";
import type { World } from "./world.ts";

/** Returns the shared storage as seen by one process. */
export function connectStorage(world: World, connection: Connection): Storage {
  const connect = <Port extends object>(name: string, port: Port): Port => {
    const connected: Record<string, unknown> = {};
    for (const [method, call] of Object.entries(port) as [string, (request: unknown) => Promise<unknown>][])
      connected[method] = (request: unknown) =>
        connection.makeCall({ method: `${name}.${method}`, request }, () => call(request));
    return connected as Port;
  };
  const { storage } = world;
  const connected: Storage = {
    accounts: connect("accounts", storage.accounts),
    tokens: connect("tokens", storage.tokens),
    ledger: connect("ledger", storage.ledger),
    batches: { ...connect("batches", storage.batches), watch: storage.batches.watch },
    renderings: connect("renderings", storage.renderings),
    documents: connect("documents", storage.documents),
    audit: connect("audit", storage.audit),
    history: connect("history", storage.history),
    signIns: connect("signIns", storage.signIns),
    rateLimiter: connect("rateLimiter", storage.rateLimiter),
    renderLeases: world.conditions.hasLeases ? connect("renderLeases", storage.renderLeases) : undefined,
    lastBackupAt: async () => null,
    check: async () => {},
    close: async () => {},
  };
  return world.conditions.hasSharedCache ? withCacheFallback(world, connected) : connected;
}

/** While the cache is unavailable, nothing is cached, and each process enforces rate limits on its own. */
function withCacheFallback(world: World, storage: Storage): Storage {
  const { history, timeline } = world;
  const { renderings, rateLimiter, renderLeases } = storage;
  const local = createMemoryStorage().rateLimiter;
  return {
    ...storage,
    renderings: {
      get: (request) => renderings.get(request).catch(() => null),
      peek: (request) => renderings.peek(request).catch(() => null),
      put: (request) =>
        renderings.put(request).catch(() => {
          const { etag } = request.rendering;
          history.dropped.add(etag);
          const client = requestContext.getStore();
          if (client) client.storedEtag = etag;
        }),
      delete: (request) => renderings.delete(request).catch(() => {}),
      prune: (request) => renderings.prune(request).catch(() => 0),
      purge: (request) => renderings.purge(request),
      deleteAccount: (request) => renderings.deleteAccount(request),
      stats: () => renderings.stats().catch(() => null),
    },
    rateLimiter: {
      ...rateLimiter,
      consume: (request) =>
        rateLimiter.consume(request).catch(async () => {
          const result = await local.consume(request);
          const { accountId, name } = request;
          if (result.allowed && name === "render")
            history.allowedRenders.push({ accountId, at: timeline.now, isLocal: true });
          return result;
        }),
    },
    ...(renderLeases && {
      renderLeases: {
        acquire: (request) => renderLeases.acquire(request).catch(() => "acquired" as const),
        release: (request) => renderLeases.release(request).catch(() => {}),
      },
    }),
  };
}
