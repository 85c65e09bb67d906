import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { listen } from "../../../testing/test/servers/listen.ts";
import { json, send } from "../../src/requests/response.ts";
import { openExchange, type Exchange } from "../../src/requests/exchange.ts";

const CALLER = { address: "127.0.0.1", userAgent: null, requestId: null, traceId: null };

it("ends an exchange once the outcome is known, even if the client has disconnected", async () => {
  const server = createServer();
  const client = connect(await listen(server), "127.0.0.1", () => {
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
