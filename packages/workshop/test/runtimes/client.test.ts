import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { run } from "../../src/machine/run.ts";
import { programOf, RUNTIMES } from "../../src/machine/runtimes.ts";

const SCRIPT = join(import.meta.dirname, "use-client.mjs");

const item = { id: "item_0", url: "https://example.com/", status: "queued", error: null };
const batch = { id: "batch_1", status: "pending", items: [item] };
const complete = { ...batch, status: "complete", items: [{ ...item, status: "done" }] };

/** The responses to each request in turn; the last one repeats. */
const RESPONSES: Readonly<
  Record<string, readonly ((response: ServerResponse, request: IncomingMessage) => void)[]>
> = {
  "GET /v1/snap": [
    (response) => response.socket?.destroy(),
    (response) =>
      json(response, 503, { code: "not_ready", message: "", request_id: "" }, { "Retry-After": "0" }),
    (response, { headers }) => {
      const isKnown = headers["if-none-match"] === '"5f3c"';
      response.writeHead(isKnown ? 304 : 200, { "Content-Type": "image/png", ETag: '"5f3c"' });
      response.end(isKnown ? undefined : "an image");
    },
  ],
  "POST /v1/captures": [
    (response) => response.writeHead(200, { "Content-Type": "application/pdf" }).end("a PDF"),
  ],
  "POST /v1/renders": [(response) => json(response, 202, batch)],
  "GET /v1/renders/batch_1": [
    (response) => json(response, 200, batch),
    (response) => response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad Gateway</h1>"),
    (response) => json(response, 200, complete),
  ],
  // never responds
  "GET /v1/usage": [() => {}],
};

function json(
  response: ServerResponse,
  status: number,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { "Content-Type": "application/json", ...headers })
    .end(JSON.stringify(document));
}

async function openServer(): Promise<string> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const key = `${request.method} ${request.url?.split("?")[0]}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const responders = RESPONSES[key] ?? [];
    const respond = responders[Math.min(count, responders.length - 1)];
    request.resume();
    request.once("end", () => {
      if (respond === undefined) json(response, 404, { code: "not_found", message: "", request_id: "" });
      else respond(response, request);
    });
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

async function useClient(program: string, args: readonly string[]): Promise<unknown> {
  const env = { SNAP_BASE_URL: await openServer(), SNAP_TOKEN: "7|s3cret", NO_COLOR: "1" };
  const { ok, output } = await run(program, [...args, SCRIPT], { env, cwd: import.meta.dirname });
  return ok ? JSON.parse(output) : output;
}

const RESULT = {
  image: ["image/png", 8, true],
  pdf: "a PDF",
  retries: ["connection_failed", "not_ready", "unexpected_answer"],
  batch: "complete",
  failures: ["validation_failed", "not_found", "aborted", "timed_out"],
  // the signature is openssl's, as in packed-client.test.ts
  signed:
    "https://snap.example.com/v1/snap/signed?expires=1893456000&fullPage=true&tokenId=7" +
    "&url=https%3A%2F%2Fexample.com%2F&signature=d68823495d3d047b4cbc1c94a21492f40313df08540b375dbf71a6be396b75ef",
  webhook: ["batch_1", 204],
};

describe("the built client", () => {
  it("works in the version of Node that runs the tests", async () => {
    expect(await useClient(process.execPath, [])).toEqual(RESULT);
  });

  it.each(RUNTIMES)("works in $name", { tags: ["runtimes"] }, async (runtime) => {
    expect(await useClient(programOf(runtime), runtime.args)).toEqual(RESULT);
  });
});
