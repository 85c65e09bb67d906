import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace, type RunningCommand, type Workspace } from "../../../server/test/cli/command.ts";
import { extendPath } from "../../src/machine/run.ts";
import { PROXY_SETUPS, startProxy, type RunningProxy } from "./proxies.ts";

const TOKEN = "a7d3f9b1c5e84206a7d3f9b1c5e84206";
const JSON_TYPE = "application/json; charset=utf-8";

interface Sent {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Sends a request from an address of this machine that is not the proxy's. */
async function send(url: string, { method, headers, body = "" }: Sent = {}): Promise<Received> {
  const own = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
  const options = { localAddress: "127.0.0.2", method, headers: { ...own, ...headers } };
  const sent = request(url, options).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Returns the JSON of a capture request, exactly this many bytes long. */
function captureOf(bytes: number): string {
  const bodyWith = (comment: string): string =>
    JSON.stringify({ html: `<!--${comment}--><h1>Invoice 7</h1>`, pdf: true });
  return bodyWith("x".repeat(bytes - bodyWith("").length));
}

describe("a proxy in front of the service,", { tags: ["browser"] }, () => {
  let workspace: Workspace;
  let running: RunningCommand;
  let service: number;

  beforeAll(async () => {
    extendPath();
    workspace = openWorkspace({
      SNAP_PORT: "0",
      SNAP_TOKEN: TOKEN,
      SNAP_TRUST_PROXY: "loopback",
      SNAP_METRICS: "on",
    });
    running = workspace.start(["serve"]);
    const [, port] = await running.whenPrinted(/"port":(\d+),"msg":"listening"/);
    service = Number(port);
  });
  afterAll(() => workspace.cleanUp());

  for (const setup of PROXY_SETUPS)
    describe(`with ${setup.name}`, { tags: [setup.program] }, () => {
      let proxy: RunningProxy;
      beforeAll(async () => {
        proxy = await startProxy(setup, { service });
      });
      afterAll(() => proxy.stop());

      it("forwards the largest request that the service accepts, and its error for a larger one", async () => {
        const capture = (bytes: number): Promise<Received> =>
          send(`${proxy.origin}/v1/captures`, { method: "POST", body: captureOf(bytes) });
        const accepted = await capture(10_485_760);
        expect([accepted.status, accepted.body.slice(0, 5)]).toEqual([200, "%PDF-"]);
        const rejected = await capture(10_485_761);
        expect([rejected.status, rejected.headers["content-type"]]).toEqual([413, JSON_TYPE]);
      });

      it("forwards a long URL", async () => {
        const { status, headers } = await send(`${proxy.origin}/v1/usage?${"x".repeat(60_000)}`);
        expect([status, headers["content-type"]]).toEqual([200, JSON_TYPE]);
      });

      it("lets no client choose its address or ids in the log", async () => {
        const forged = {
          "X-Forwarded-For": "203.0.113.6",
          "X-Request-Id": "i-chose-this",
          traceparent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
        };
        const { headers } = await send(`${proxy.origin}/v1/usage`, { headers: forged });
        const id = String(headers["x-request-id"]);
        expect(id).not.toBe("i-chose-this");
        const [line] = await running.whenPrinted(new RegExp(`^.*"request_id":"${id}".*$`, "m"));
        const entry = JSON.parse(line) as Record<string, unknown>;
        expect(entry["client"]).toBe("127.0.0.2");
        expect(entry).not.toHaveProperty("trace_id");
      });

      it("does not forward the metrics", async () => {
        expect((await send(`http://127.0.0.1:${service}/metrics`)).status).toBe(200);
        expect((await send(`${proxy.origin}/metrics`)).status).toBe(404);
      });
    });
});
