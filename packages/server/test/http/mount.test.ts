import { createEngine } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import express from "express";
import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/operations/logger.ts";

it("can be mounted under a path prefix of another Express app", async () => {
  const storage = createMemoryStorage();
  const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: "a key for this test" });
  const logger = createLogger("silent");
  const parent = express();
  parent.use("/shots", createApp({ engine, publicUrl: "https://shots.example.com", logger, metrics: false }));
  parent.get("/parent", (_request, response) => void response.send("parent"));
  onTestFinished(() => engine.close());
  const origin = `http://127.0.0.1:${await listen(createServer(parent))}`;

  expect(await (await fetch(`${origin}/parent`)).text()).toBe("parent");
  const rejected = await fetch(`${origin}/shots/v1/snap?url=https://example.com/`);
  expect(rejected.status).toBe(401);
  expect(await rejected.json()).toMatchObject({
    code: "unauthenticated",
    request_id: rejected.headers.get("x-request-id"),
  });
  expect((await fetch(`${origin}/shots/docs`)).status).toBe(200);
  expect((await fetch(`${origin}/shots/nowhere`)).status).toBe(404);
});
