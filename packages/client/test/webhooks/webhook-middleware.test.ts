import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as send,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { RenderBatch } from "@snap/protocol";
import express5, { type ErrorRequestHandler, type RequestHandler } from "express";
import express4, { type RequestHandler as RequestHandler4 } from "express4";
import { describe, expect, it } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { verifyWebhook, webhookHandler, webhookMiddleware } from "../../src/webhooks/index.ts";
import { BATCH, deliver, OLD_SECRET, SECRET } from "./delivery.ts";

const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Uint8Array[];
  readonly method?: string;
}

interface ReceivedResponse {
  readonly status: number | undefined;
  readonly body: string;
  readonly allow: string | undefined;
}

/** Sends the chunks unchanged, and reads the response. */
async function post(
  port: number,
  { headers, chunks, method = "POST" }: SentRequest,
): Promise<ReceivedResponse> {
  const outgoing = send({
    host: "127.0.0.1",
    port,
    method,
    headers: { "Content-Type": "application/json", ...headers },
  });
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), allow: response.headers.allow };
}

const toRequest = ({ body, headers } = deliver()): SentRequest => ({ headers, chunks: [body] });

const FRAMEWORKS = [
  ["Express 5", express5],
  ["Express 4", express4 as unknown as typeof express5],
] as const;

describe.each(FRAMEWORKS)("webhookMiddleware in %s", (_, express) => {
  /** Opens a receiver that `setUp` completes with the middleware, and records its batches and errors. */
  async function receiver(
    setUp: (app: express5.Express, middleware: RequestHandler) => void,
    callback: (batch: RenderBatch) => unknown = () => undefined,
  ): Promise<{ port: number; seen: RenderBatch[]; errors: unknown[]; nextErrors: unknown[] }> {
    const [seen, errors, nextErrors] = [[] as RenderBatch[], [] as unknown[], [] as unknown[]];
    const middleware = webhookMiddleware(
      [OLD_SECRET, SECRET],
      (batch) => {
        seen.push(batch);
        return callback(batch);
      },
      { onError: (error) => errors.push(error) },
    );
    const app = express();
    setUp(app, middleware);
    const errorHandler: ErrorRequestHandler = (error, _request, response, _next) => {
      nextErrors.push(error);
      response.sendStatus(500);
    };
    app.use(errorHandler);
    return { port: await serve(app), seen, errors, nextErrors };
  }

  const mountMiddleware = (app: express5.Express, middleware: RequestHandler): void => {
    app.post("/", middleware);
  };

  it("responds with 204 after the callback resolves", async () => {
    const responses: ServerResponse[] = [];
    const hasEnded: boolean[] = [];
    const { port, seen, errors } = await receiver(
      (app, middleware) => {
        app.use((_request, response, next) => {
          responses.push(response);
          next();
        });
        app.post("/", middleware);
      },
      async () => {
        await nextTurn();
        hasEnded.push(...responses.map(({ writableEnded }) => writableEnded));
      },
    );
    expect(await post(port, toRequest())).toMatchObject({ status: 204, body: "" });
    expect([hasEnded, seen, errors]).toEqual([[false], [BATCH], []]);
  });

  it("reads a body in chunks that split characters", async () => {
    const { port, seen } = await receiver(mountMiddleware);
    const { body, headers } = deliver();
    const chunks = Array.from({ length: Math.ceil(body.length / 3) }, (__, index) =>
      body.subarray(index * 3, index * 3 + 3),
    );
    expect(await post(port, { headers, chunks })).toMatchObject({ status: 204 });
    expect(seen).toEqual([BATCH]);
  });

  it("reads a request that other middleware has paused", async () => {
    const { port, seen } = await receiver((app, middleware) => {
      app.use((request, _response, next) => {
        request.pause();
        setImmediate(next);
      });
      app.post("/", middleware);
    });
    expect(await post(port, toRequest())).toMatchObject({ status: 204 });
    expect(seen).toEqual([BATCH]);
  });

  it("detects that the connection closed before the middleware ran", async () => {
    const gone = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<unknown>();
    const { port, errors } = await receiver((app, middleware) => {
      app.post("/", (request, response, next) => {
        request.once("close", () => {
          // runs after all other "close" listeners
          setImmediate(() => {
            void Promise.resolve(middleware(request, response, next)).then(settled.resolve, settled.reject);
          });
        });
        gone.resolve();
      });
    });
    const outgoing = send({ host: "127.0.0.1", port, method: "POST", headers: { "Content-Length": "100" } });
    outgoing.on("error", () => {});
    outgoing.write("{");
    await gone.promise;
    outgoing.destroy();
    await settled.promise;
    expect(errors).toMatchObject([{ code: "invalid_body" }]);
  });

  it("closes a connection that keeps sending after the 413", async () => {
    const { port, errors } = await receiver(mountMiddleware);
    const outgoing = send({ host: "127.0.0.1", port, method: "POST", headers: deliver().headers });
    outgoing.on("error", () => {});
    const closed = new Promise((resolve) => {
      outgoing.on("close", resolve);
    });
    let status: number | undefined;
    outgoing.on("response", (response) => {
      status = response.statusCode;
      response.resume();
    });
    const writeMore = (): void => {
      while (!outgoing.destroyed && outgoing.write(Buffer.alloc(65_536)));
      if (!outgoing.destroyed) outgoing.once("drain", writeMore);
    };
    writeMore();
    await closed;
    expect([undefined, 413]).toContain(status);
    expect(errors).toMatchObject([{ code: "body_too_large" }]);
  });

  it("works before express.json()", async () => {
    const { port } = await receiver((app, middleware) => app.post("/", middleware).use(express.json()));
    expect(await post(port, toRequest())).toMatchObject({ status: 204 });
  });

  it.each<[string, () => RequestHandler]>([
    ["express.raw()", () => express.raw({ type: "application/json" })],
    ["express.text()", () => express.text({ type: "application/json" })],
    ["express.json() for another type", () => express.json({ type: "application/other+json" })],
  ])("works after %s", async (__, parser) => {
    const { port, seen } = await receiver((app, middleware) => app.use(parser()).post("/", middleware));
    expect(await post(port, toRequest())).toMatchObject({ status: 204 });
    expect(seen).toEqual([BATCH]);
  });

  it("passes raw_body_needed to the error handler after express.json()", async () => {
    const { port, seen, errors, nextErrors } = await receiver((app, middleware) =>
      app.use(express.json()).post("/", middleware),
    );
    expect(await post(port, toRequest())).toMatchObject({ status: 500 });
    expect(nextErrors).toMatchObject([{ name: "WebhookError", code: "raw_body_needed" }]);
    expect([seen, errors]).toEqual([[], nextErrors]);
  });

  it.each([
    ["invalid_signature", deliver({ secret: "another" })],
    ["timestamp_out_of_tolerance", deliver({ timestamp: "1" })],
    ["invalid_body", deliver({ body: "{}" })],
    ["missing_header", { ...deliver(), headers: {} }],
    ["invalid_signature", { ...deliver(), body: Buffer.of() }],
  ])("responds with 400 to %s", async (code, delivery) => {
    const { port, seen, errors, nextErrors } = await receiver(mountMiddleware);
    const { status, body } = await post(port, toRequest(delivery));
    expect([status, JSON.parse(body)]).toEqual([400, { code, message: expect.any(String) }]);
    expect(errors).toMatchObject([{ code }]);
    expect([seen, nextErrors]).toEqual([[], []]);
  });

  it("rejects a duplicate header", async () => {
    const { port } = await receiver(mountMiddleware);
    const { body, headers } = deliver();
    const twice = {
      ...headers,
      "X-Webhook-Signature": [1, 2].map(() => headers["X-Webhook-Signature"]) as unknown as string,
    };
    expect(await post(port, { headers: twice, chunks: [body] })).toMatchObject({ status: 400 });
  });

  it("does not decompress, because the signature covers the bytes as sent", async () => {
    const { port, errors } = await receiver(mountMiddleware);
    const { body, headers } = deliver();
    const gzip = { ...headers, "Content-Encoding": "gzip" };
    expect(await post(port, { headers: gzip, chunks: [gzipSync(body)] })).toMatchObject({ status: 400 });
    expect(errors).toMatchObject([{ code: "invalid_signature" }]);
  });

  it("responds with 405 to a method other than POST", async () => {
    const { port } = await receiver((app, middleware) => app.use(middleware));
    expect(await post(port, { ...toRequest(), method: "PUT" })).toMatchObject({ status: 405, allow: "POST" });
  });

  it("responds with 413 to a body over 1 MiB, and the sender receives the response", async () => {
    const { port, seen } = await receiver(mountMiddleware);
    const { headers } = deliver();
    const chunks = Array.from({ length: 40 }, () => Buffer.alloc(65_536, " "));
    const { status, body } = await post(port, { headers, chunks });
    expect([status, JSON.parse(body)]).toMatchObject([413, { code: "body_too_large" }]);
    expect(seen).toEqual([]);
  });

  it.each<[string, (fault: Error) => unknown]>([
    ["rejects", (fault) => Promise.reject(fault)],
    [
      "throws",
      (fault) => {
        throw fault;
      },
    ],
  ])("passes the error to next when the callback %s", async (__, fail) => {
    const fault = new Error("database is down");
    const { port, errors, nextErrors } = await receiver(mountMiddleware, () => fail(fault));
    expect(await post(port, toRequest())).toMatchObject({ status: 500 });
    expect([errors, nextErrors]).toEqual([[fault], [fault]]);
  });

  it("reports an incomplete body when the connection closes", async () => {
    const rejected = Promise.withResolvers<unknown>();
    const app = express();
    app.post(
      "/",
      webhookMiddleware(SECRET, () => undefined, { onError: rejected.resolve }),
    );
    const port = await serve(app);
    const outgoing = send({
      host: "127.0.0.1",
      port,
      method: "POST",
      headers: { ...deliver().headers, "Content-Length": 1000 },
    });
    outgoing.on("error", () => undefined);
    outgoing.write("half", () => outgoing.destroy());
    expect(await rejected.promise).toMatchObject({ code: "invalid_body" });
  });

  it("is optional: verifyWebhook accepts the body from express.raw()", async () => {
    const app = express();
    app.post("/", express.raw({ type: "application/json", limit: "1mb" }), (request, response) => {
      response.json(verifyWebhook(request.body as Buffer, request.headers, SECRET).id);
    });
    expect(await post(await serve(app), toRequest())).toMatchObject({ status: 200, body: '"b1"' });
  });
});

describe("a node:http server", () => {
  it("calls webhookMiddleware with its own request and response", async () => {
    const middleware = webhookMiddleware(SECRET, () => undefined);
    const port = await serve((request, response) => {
      void middleware(request, response, () => response.writeHead(500).end());
    });
    expect(await post(port, toRequest())).toMatchObject({ status: 204 });
    expect(await post(port, { ...toRequest(), method: "GET", chunks: [] })).toMatchObject({ status: 405 });
  });

  it("calls webhookHandler with a web Request", async () => {
    const handler = webhookHandler(SECRET, () => undefined);
    const port = await serve((request, response) => {
      void text(request).then(async (body) => {
        const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        const { status } = await handler(new Request("http://127.0.0.1/", { method: "POST", headers, body }));
        return response.writeHead(status).end();
      });
    });
    expect(await post(port, toRequest())).toMatchObject({ status: 204 });
    expect(await post(port, toRequest(deliver({ secret: OLD_SECRET })))).toMatchObject({ status: 400 });
  });
});

it("webhookMiddleware is a request handler for Express 4 and 5", () => {
  const middleware = webhookMiddleware(SECRET, () => undefined);
  const handlers: [RequestHandler, RequestHandler4] = [middleware, middleware];
  expect(handlers).toEqual([expect.any(Function), expect.any(Function)]);
});
