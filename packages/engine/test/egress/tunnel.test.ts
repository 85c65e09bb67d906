import { describe, expect, it } from "vitest";
import { Client, openLane, serveTcp } from "./lane.ts";

const CONNECT = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

describe("a tunnel", () => {
  it("passes bytes both ways as they are, also those sent ahead of its answer", async () => {
    const port = await serveTcp((socket) => socket.pipe(socket));
    const client = new Client(await openLane());
    client.send(`${CONNECT(`127.0.0.1:${port}`)}ahead\r\n\r\n`);
    await client.receives("ahead\r\n\r\n");
    client.send("\u0000\u00ffGET / HTTP/1.1\r\n\r\n");
    await client.receives("GET / HTTP/1.1\r\n\r\n");
    expect(client.received).toBe(`${ESTABLISHED}ahead\r\n\r\n\u0000\u00ffGET / HTTP/1.1\r\n\r\n`);
  });

  it("keeps the other way open when the client ends, until the target has said everything", async () => {
    const port = await serveTcp((socket) => {
      let heard = "";
      socket.on("data", (chunk) => (heard += String(chunk)));
      socket.on("end", () => socket.end(`heard ${heard}`));
    });
    const client = new Client(await openLane(), { allowHalfOpen: true });
    await client.send(CONNECT(`127.0.0.1:${port}`)).receives(ESTABLISHED);
    client.socket.end("question");
    expect(await client.closes()).toBe(`${ESTABLISHED}heard question`);
  });

  it("keeps the other way open when the target ends", async () => {
    const heard = Promise.withResolvers<string>();
    const port = await serveTcp((socket) => {
      socket.end("greeting");
      socket.once("data", (chunk) => heard.resolve(String(chunk)));
    });
    const client = new Client(await openLane(), { allowHalfOpen: true });
    await client.send(CONNECT(`127.0.0.1:${port}`)).receives("greeting");
    await client.ends();
    client.socket.end("farewell");
    expect(await heard.promise).toBe("farewell");
  });

  it("ends with a reset on either side", async () => {
    const target = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => {
      socket.once("data", (chunk) => {
        if (String(chunk) === "reset me") socket.resetAndDestroy();
      });
      socket.once("close", () => target.resolve());
    });
    const lane = await openLane();
    const resetByTarget = new Client(lane).send(CONNECT(`127.0.0.1:${port}`));
    await resetByTarget.receives(ESTABLISHED);
    expect(await resetByTarget.send("reset me").closes()).toBe(ESTABLISHED);

    const resetByClient = new Client(lane).send(CONNECT(`127.0.0.1:${port}`));
    await resetByClient.receives(ESTABLISHED);
    resetByClient.socket.resetAndDestroy();
    await target.promise;
  });

  it("loses nothing of a long answer", async () => {
    const sizeBytes = 8_000_000;
    const port = await serveTcp((socket) => socket.end(Buffer.alloc(sizeBytes, "x")));
    const client = new Client(await openLane()).send(CONNECT(`127.0.0.1:${port}`));
    expect((await client.closes()).length).toBe(ESTABLISHED.length + sizeBytes);
  });
});

describe("what isn't host and port is dropped without an answer", () => {
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
  ])("%s", async (authority) => {
    let connections = 0;
    const port = await serveTcp(() => (connections += 1));
    const client = new Client(await openLane());
    expect(await client.send(CONNECT(authority.replace("PORT", String(port)))).closes()).toBe("");
    expect(connections).toBe(0);
  });
});
