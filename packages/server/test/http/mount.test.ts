import { createEngine } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import express from "express";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/operations/logger.ts";

it("works below a prefix of another service", async () => {
  const storage = createMemoryStorage();
  const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: "a key for this test" });
  const logger = createLogger("silent");
  const parent = express();
  parent.use("/shots", createApp({ engine, publicUrl: "https://shots.example.com", logger, metrics: false }));
  parent.get("/own", (_request, response) => void response.send("own"));
  const server = createServer(parent).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await engine.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  expect(await (await fetch(`${origin}/own`)).text()).toBe("own");
  const refused = await fetch(`${origin}/shots/v1/snap?url=https://example.com/`);
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({
    code: "unauthenticated",
    request_id: refused.headers.get("x-request-id"),
  });
  expect((await fetch(`${origin}/shots/docs`)).status).toBe(200);
  expect((await fetch(`${origin}/shots/nowhere`)).status).toBe(404);
});
