import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate } from "../../../testing/test/servers/certificate.ts";
import { openConnectProxy } from "../../../testing/test/servers/connect-proxy.ts";
import { parseUpstreamProxy } from "../../src/egress/upstream-proxy.ts";
import { Client, openProxy, serveTcp } from "./egress-proxy.ts";

const connectRequest = (authority: string): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

describe("a tunnel", () => {
  it("forwards bytes unchanged both ways, including those sent before its response", async () => {
    const port = await serveTcp((socket) => socket.pipe(socket));
    const client = new Client(await openProxy());
    client.send(`${connectRequest(`127.0.0.1:${port}`)}ahead\r\n\r\n`);
    await client.waitForText("ahead\r\n\r\n");
    client.send("\u0000\u00ffGET / HTTP/1.1\r\n\r\n");
    await client.waitForText("GET / HTTP/1.1\r\n\r\n");
    expect(client.received).toBe(`${ESTABLISHED}ahead\r\n\r\n\u0000\u00ffGET / HTTP/1.1\r\n\r\n`);
  });

  it("stays open toward the client when the client has closed its half", async () => {
    const port = await serveTcp((socket) => {
      let received = "";
      socket.on("data", (chunk) => (received += String(chunk)));
      socket.on("end", () => socket.end(`received ${received}`));
    });
    const client = new Client(await openProxy(), { allowHalfOpen: true });
    await client.send(connectRequest(`127.0.0.1:${port}`)).waitForText(ESTABLISHED);
    client.socket.end("question");
    expect(await client.waitForClose()).toBe(`${ESTABLISHED}received question`);
  });

  it("stays open toward the target when the target has closed its half", async () => {
    const received = Promise.withResolvers<string>();
    const port = await serveTcp((socket) => {
      socket.end("greeting");
      socket.once("data", (chunk) => received.resolve(String(chunk)));
    });
    const client = new Client(await openProxy(), { allowHalfOpen: true });
    await client.send(connectRequest(`127.0.0.1:${port}`)).waitForText("greeting");
    await client.waitForEnd();
    client.socket.end("farewell");
    expect(await received.promise).toBe("farewell");
  });

  it("ends when either side resets", async () => {
    const target = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => {
      socket.once("data", (chunk) => {
        if (String(chunk) === "reset me") socket.resetAndDestroy();
      });
      socket.once("close", () => target.resolve());
    });
    const proxy = await openProxy();
    const resetByTarget = new Client(proxy).send(connectRequest(`127.0.0.1:${port}`));
    await resetByTarget.waitForText(ESTABLISHED);
    expect(await resetByTarget.send("reset me").waitForClose()).toBe(ESTABLISHED);

    const resetByClient = new Client(proxy).send(connectRequest(`127.0.0.1:${port}`));
    await resetByClient.waitForText(ESTABLISHED);
    resetByClient.socket.resetAndDestroy();
    await target.promise;
  });

  it("ends when the client resets, also through an upstream proxy with TLS", async () => {
    const target = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => void socket.resume().once("end", () => target.resolve()));
    const names = [{ kind: "dns", name: "proxy.example" } as const];
    const tls = makeCertificate({ names, validUntil: new Date(Date.now() + 86_400_000) });
    const trusted = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, tls.cert]);
    const upstream = await openConnectProxy({ upstreamPort: port, tls });
    onTestFinished(() => upstream.close());
    const upstreamProxy = parseUpstreamProxy({ url: `https://proxy.example:${upstream.port}` });
    const resolver = {
      resolve: (name: string) => Promise.resolve([name === "proxy.example" ? "127.0.0.1" : "93.184.215.14"]),
    };
    const client = new Client(await openProxy({ upstreamProxy, resolver })).send(
      connectRequest("page.example:443"),
    );
    await client.waitForText(ESTABLISHED);
    client.socket.resetAndDestroy();
    await target.promise;
    expect(upstream.authorities).toEqual(["93.184.215.14:443"]);
  });

  it("forwards a long response completely", async () => {
    const sizeBytes = 8_000_000;
    const port = await serveTcp((socket) => socket.end(Buffer.alloc(sizeBytes, "x")));
    const client = new Client(await openProxy()).send(connectRequest(`127.0.0.1:${port}`));
    expect((await client.waitForClose()).length).toBe(ESTABLISHED.length + sizeBytes);
  });
});

describe("a CONNECT without a valid host and port", () => {
  it.each([
    "127.0.0.1",
    "PORT",
    ":PORT",
    "127.0.0.1:",
    "user@127.0.0.1:PORT",
    "http://127.0.0.1:PORT",
    "127.0.0.1/:PORT",
    "127.0.0.1?:PORT",
    "127.0.0.1:PORT/",
    "127.0.0.1:99999",
    "127.0.0.1\\:PORT",
  ])("is dropped without a response: %s", async (authority) => {
    let connections = 0;
    const port = await serveTcp(() => (connections += 1));
    const client = new Client(await openProxy());
    expect(await client.send(connectRequest(authority.replace("PORT", String(port)))).waitForClose()).toBe(
      "",
    );
    expect(connections).toBe(0);
  });
});
