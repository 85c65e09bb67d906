import { expect, it } from "vitest";
import { Client, openProxy } from "./egress-proxy.ts";

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
const connectRequest = (authority: string): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

/** Hosts in a page's URL that lead to this machine's loopback interface. */
const SPELLINGS = ["127.0.0.1", "127.1.2.3", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] as const;

const entries = "0.0.0.0/0, ::/0, localhost";

it.each(SPELLINGS)(
  "a page that is allowed to reach %s reaches no egress proxy there, not even its own",
  async (host) => {
    const [own, other] = [await openProxy({ entries }), await openProxy({ entries })];
    for (const { port } of [own, other])
      for (const raw of [get(`http://${host}:${port}/`), connectRequest(`${host}:${port}`)]) {
        expect(await new Client(own).send(raw).waitForClose()).toBe("");
        expect(own.failure(`http://${host}:${port}/`)).toBe("blocked");
      }
  },
);

it("a proxy is blocked for a page even if the allowlist names its port", async () => {
  const other = await openProxy();
  const own = await openProxy({ entries: `127.0.0.1:${other.port}` });
  await new Client(own).send(connectRequest(`127.0.0.1:${other.port}`)).waitForClose();
  expect(own.failure(`https://127.0.0.1:${other.port}/`)).toBe("blocked");
});

it("the port of a closed proxy is no longer blocked", async () => {
  const [own, other] = [await openProxy({ entries }), await openProxy({ entries })];
  await other.close();
  await new Client(own).send(get(`http://127.0.0.1:${other.port}/`)).waitForClose();
  expect(own.failure(`http://127.0.0.1:${other.port}/`)).toBe("unreachable");
});
