import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { json, send } from "../../src/requests/response.ts";
import { openExchange, type Exchange } from "../../src/requests/exchange.ts";

const CALLER = { address: "127.0.0.1", userAgent: null, requestId: null, traceId: null };

it("ends an exchange once the outcome is known, even if the client has disconnected", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1", () => {
    client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  });
  const [, response] = await once(server, "request");
  const done: Exchange[] = [];
  openExchange(response, CALLER, (exchange) => done.push(exchange));
  client.destroy();
  await once(response, "close");
  expect(done).toEqual([]);
  send(response, json({}));
  expect(done).toHaveLength(1);
  expect(done[0]).toMatchObject({ status: 200 });
});
