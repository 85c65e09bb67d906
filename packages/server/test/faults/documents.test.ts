import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace, until, type MintedToken, type RunningCommand } from "../cli/command.ts";

/** A remote browser that does not exist, so no local one is started. */
const workspace = openWorkspace({
  SNAP_BROWSER_URL: "ws://127.0.0.1:9",
  SNAP_BROWSER_EGRESS: "direct",
  SNAP_PORT: "0",
});
afterAll(() => workspace.cleanUp());

const FOLDER = join(workspace.directory, "data/snap.db-documents");

async function startServer(): Promise<{ readonly server: RunningCommand; readonly url: string }> {
  const server = workspace.start(["serve"]);
  const [, port] = await server.whenPrinted(/"port":(\d+),"msg":"listening"/);
  return { server, url: `http://127.0.0.1:${port}/v1/documents` };
}

async function countFiles(): Promise<number> {
  return (await readdir(FOLDER).catch(() => [])).length;
}

describe("kill -9", () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    const account = await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
    const { id } = account as { id: string };
    const { token } = (await workspace.json(["tokens", "create", "--account", id])) as MintedToken;
    headers = { Authorization: `Bearer ${token}`, "Content-Type": "text/html" };
  });

  it("loses no acknowledged document, and leaves no file of a partial upload", async () => {
    const first = await startServer();
    const html = "<p>Hello</p>".repeat(300_000);
    const created = await fetch(first.url, { method: "POST", body: html, headers });
    expect(created.status).toBe(201);
    const document = (await created.json()) as { id: string };
    // half of another document
    const sent = request(first.url, { method: "POST", headers: { ...headers, "Content-Length": 6_000_000 } });
    sent.on("error", () => {});
    await new Promise((resolve) => sent.write("x".repeat(3_000_000), resolve));
    first.server.child.kill("SIGKILL");
    await first.server.ended;
    expect(await countFiles()).toBe(1);

    const second = await startServer();
    const found = await fetch(`${second.url}/${document.id}`, { headers });
    expect([found.status, await found.json()]).toEqual([200, document]);
    const stored = [document.id];
    // the service is killed while it is storing another document
    const body = "x".repeat(9_000_000);
    const responded = fetch(second.url, { method: "POST", body, headers }).then(
      async (reply) => ((await reply.json()) as { id: string }).id,
      () => null,
    );
    await until(countFiles, (count) => count > 1);
    second.server.child.kill("SIGKILL");
    await second.server.ended;
    const id = await responded;
    if (id !== null) stored.push(id);

    const third = await startServer();
    for (const one of stored) expect((await fetch(`${third.url}/${one}`, { headers })).status).toBe(200);
    expect((await fetch(third.url, { method: "POST", body, headers })).status).toBe(201);
  });
});
