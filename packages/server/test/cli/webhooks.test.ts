import { signWebhook } from "@snap/protocol";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPort } from "../../../testing/test/servers/open-port.ts";
import { openWorkspace, type MintedToken } from "./command.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const received: Received[] = [];
const responses: (readonly [status: number, body: string])[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    const [status, body] = responses.shift() ?? [204, ""];
    response.writeHead(status).end(body);
  });
});
const workspace = openWorkspace();
let origin: string;
let closeReceiver: () => Promise<void>;
let allowed: NodeJS.ProcessEnv;
let token: MintedToken;

beforeAll(async () => {
  const { port, close } = await openPort(receiver);
  closeReceiver = close;
  origin = `http://127.0.0.1:${port}`;
  allowed = { SNAP_ALLOW_TARGETS: `127.0.0.1:${port}` };
  await workspace.json(["accounts", "create", "--email", "ada@example.com"]);
  token = (await workspace.json(["tokens", "create", "--account", "ada@example.com"])) as MintedToken;
});
afterAll(async () => {
  await closeReceiver();
  await workspace.cleanUp();
});

describe("webhooks test", () => {
  const test = (...args: string[]): string[] => ["webhooks", "test", ...args, "--token", String(token.id)];

  it("sends a signed event, and shows what was sent and received", async () => {
    responses.push([200, "thanks\nand more"]);
    const { code, stdout } = await workspace.run(test(`${origin}/hook`), allowed);
    expect(code).toBe(0);
    const { headers, body } = received.at(-1) as Received;
    const timestamp = String(headers["x-webhook-timestamp"]);
    const signature = signWebhook({ timestamp, body }, token.signing_secret);
    expect(headers).toMatchObject({ "x-webhook-signature": signature, "user-agent": "snap-webhook" });
    expect(JSON.parse(body.toString())).toMatchObject({ status: "complete", items: [], test: true });
    const lines: readonly (readonly [name: string, value: string])[] = [
      ["receiver", `${origin}/hook`],
      ["X-Webhook-Id", String(headers["x-webhook-id"])],
      ["X-Webhook-Timestamp", timestamp],
      ["X-Webhook-Signature", signature],
      ["webhook-signature", String(headers["webhook-signature"])],
      ["result", "acknowledged"],
      ["status", "200"],
      ["response", "thanks"],
    ];
    const shown = new Map(
      stdout.split("\n").map((line) => [line.split(" ", 1)[0], line.replace(/^\S+ +/, "")]),
    );
    for (const [name, value] of lines) expect(shown.get(name)).toBe(value);
    expect(shown.get("time")).toMatch(/^\d+ ms$/);
  });

  it("escapes characters in its JSON that could manipulate a terminal", async () => {
    responses.push([200, "a\u009b31m\u202eb\u2028c\u{E0041}\u001b[0m é"]);
    const { stdout } = await workspace.run([...test(origin), "--json"], allowed);
    expect(stdout).toContain(String.raw`"body": "a\u009b31m\u202eb\u2028c\udb40\udc41\u001b[0m é"`);
    expect(JSON.parse(stdout)).toMatchObject({ body: "a\u009b31m\u202eb\u2028c\u{E0041}\u001b[0m é" });
  });

  it("exits with code 1 and says what to do if the event is not acknowledged", async () => {
    responses.push([401, "bad signature"]);
    const { code, stdout } = await workspace.run(test(origin), allowed);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^result +not acknowledged$/m);
    expect(stdout).toMatch(/^response +bad signature$/m);
    expect(stdout).toMatch(/\n\nThe receiver rejected the event\. .* verify the raw body .*\n$/);
  });

  it("sends nothing to a blocked receiver, and prints JSON", async () => {
    const count = received.length;
    const { code, stdout } = await workspace.run([...test(origin), "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      url: origin,
      delivered: false,
      status: null,
      failure: "blocked",
      body: null,
      duration_ms: expect.any(Number),
      headers: expect.objectContaining({ "X-Webhook-Signature": expect.stringMatching(/^[0-9a-f]{64}$/) }),
    });
    expect(received).toHaveLength(count);
  });

  it("rejects an unknown token", async () => {
    const { code, stderr } = await workspace.run(["webhooks", "test", origin, "--token", "99", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "token_not_found" } });
  });

  it("is recorded in the audit log", async () => {
    await workspace.run(test(origin), allowed);
    const { stdout } = await workspace.run(["audit"]);
    expect(stdout).toMatch(/webhooks test .*token 1/);
  });
});
