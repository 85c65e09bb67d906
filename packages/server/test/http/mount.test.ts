import { createEngine, type Engine } from "@snap/engine";
import { createFakeRenderer, createMemoryStorage } from "@snap/testing";
import express from "express";
import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { createApp } from "../../src/http/app.ts";
import { createLogger } from "../../src/operations/logger.ts";

function openEngine(): Engine {
  const storage = createMemoryStorage();
  const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: "a key for this test" });
  onTestFinished(() => engine.close());
  return engine;
}

const OPTIONS = { publicUrl: "https://shots.example.com", metrics: false } as const;

it("can be mounted under a path prefix of another Express app", async () => {
  const parent = express();
  parent.use("/shots", createApp({ ...OPTIONS, engine: openEngine(), logger: createLogger("silent") }));
  parent.get("/parent", (_request, response) => void response.send("parent"));
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
  // the slash is added, because the page's links are relative
  expect((await fetch(`${origin}/shots?utm=1`)).url).toBe(`${origin}/shots/`);
});

it.each([
  ["/v1/captures", "application/json", `{"html":"<h1>Mounted</h1>"}`],
  ["/v1/documents", "text/html", "<h1>Mounted</h1>"],
])("logs that a body parser of the other app has read the body: %s", async (path, type, body) => {
  const engine = openEngine();
  const lines: string[] = [];
  const logger = createLogger("error", { write: (line) => void lines.push(line) });
  const parent = express();
  parent.use(express.json(), express.text({ type: "text/*" }), createApp({ ...OPTIONS, engine, logger }));
  const origin = `http://127.0.0.1:${await listen(createServer(parent))}`;
  const { token } = await engine.accounts.ensure({ email: "ada@example.com" });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
  const response = await fetch(`${origin}${path}`, { method: "POST", headers, body });
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: "server_error" });
  expect(lines.join("")).toContain("mount createApp before body parsers such as express.json()");
});
