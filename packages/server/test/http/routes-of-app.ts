import { createEngine } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import type { IRoute } from "express";
import { onTestFinished } from "vitest";
import { createApp, type AppOptions } from "../../src/http/app.ts";
import { createLogger } from "../../src/operations/logger.ts";

/** Returns the routes of the real app. */
export function routesOfApp(options: Pick<AppOptions, "metrics" | "admin">): IRoute[] {
  const engine = createEngine({
    storage: createMemoryStorage(),
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
  });
  onTestFinished(() => engine.close());
  const app = createApp({
    engine,
    publicUrl: "https://snap.example.com",
    logger: createLogger("silent"),
    ...options,
  });
  return app.router.stack.flatMap(({ route }) => (route === undefined ? [] : [route]));
}
