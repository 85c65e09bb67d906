import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { Client, openProxy, serveHttp, serveTcp } from "./egress-proxy.ts";

const get = (url: string, fields = ""): string => `GET ${url} HTTP/1.1\r\nHost: proxy\r\n${fields}\r\n`;

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

describe("a forwarded request", () => {
  it("reaches its target in origin form, with the target's Host and without hop-by-hop fields", async () => {
    const raw: string[] = [];
    const port = await serveTcp((socket) => {
      socket.on("data", (chunk) => {
        raw.push(String(chunk));
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    const proxy = await openProxy();
    const client = new Client(proxy).send(
      get(
        `http://127.0.0.1:${port}/a/../b%41?q='|^`,
        "Host: other\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nKeep-Alive: 5\r\n" +
          "TE: trailers\r\nTrailer: X-T\r\nUpgrade: h2c\r\nX-Secret: s\r\nX-Twice: 1\r\nx-twice: 2\r\n" +
          "Connection: Upgrade, x-secret, host\r\n",
      ),
    );
    expect(await client.waitForText("ok")).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(raw.join("")).toBe(
      `GET /a/../b%41?q='|^ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Twice: 1\r\nx-twice: 2\r\nConnection: keep-alive\r\n\r\n`,
    );
  });

  it.each([
    ["", "/"],
    ["?q=1", "/?q=1"],
    ["/?a=http://x/", "/?a=http://x/"],
  ])("whose URL has %j after the port requests the path %s", async (end, path) => {
    const port = await serveHttp((request, response) => response.end(`path:${request.url}\n`));
    const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${port}${end}`));
    expect(await client.waitForText("\n")).toContain(`path:${path}\n`);
  });

  it("keeps a sized or chunked body, with any method", async () => {
    const port = await serveHttp((request, response) => {
      void readBody(request).then((body) => response.end(`${request.method} ${body}.`));
    });
    const client = new Client(await openProxy());
    const url = `http://127.0.0.1:${port}/`;
    for (const method of ["POST", "PUT", "DELETE", "GET"]) {
      client.send(
        `${method} ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: content-length\r\n\r\nsized`,
      );
      expect(await client.waitForText(`${method} sized.`)).toContain(" 200 OK\r\n");
      client.send(
        `${method} ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nchunked\r\n0\r\n\r\n`,
      );
      await client.waitForText(`${method} chunked.`);
    }
    client.send(`POST ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.waitForText("POST .");
  });

  it("gets 100 Continue from the proxy itself", async () => {
    const port = await serveHttp((request, response) => {
      const { expect: expectation = "none" } = request.headers;
      void readBody(request).then((body) => response.end(`${body}, expecting ${expectation}.`));
    });
    const client = new Client(await openProxy()).send(
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
    );
    await client.waitForText("100 Continue");
    expect(await client.send("body").waitForText("body, expecting none.")).toContain(" 200 OK\r\n");
  });

  it("can have a URL of 18 KB", async () => {
    const port = await serveTcp((socket) => {
      socket.on("data", (chunk) => {
        if (String(chunk).endsWith("\r\n\r\n")) socket.end("HTTP/1.1 200 OK\r\n\r\nlong");
      });
    });
    const client = new Client(await openProxy());
    client.send(get(`http://127.0.0.1:${port}/?q=${"%E6%BC%A2".repeat(2048)}`));
    expect(await client.waitForText("long")).toContain(" 200 OK\r\n");
  });
});

describe("a response", () => {
  it("is forwarded without hop-by-hop fields, otherwise unchanged: redirects, no added Date", async () => {
    const port = await serveTcp((socket) => {
      socket.end(
        "HTTP/1.1 302 Elsewhere\r\nLocation: http://169.254.169.254/\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n" +
          "X-Hop: 1\r\nKeep-Alive: 5\r\nProxy-Authenticate: Basic\r\nConnection: x-hop\r\nContent-Length: 0\r\n\r\n",
      );
    });
    const client = new Client(await openProxy()).send(
      get(`http://127.0.0.1:${port}/`, "Connection: close\r\n"),
    );
    expect(await client.waitForClose()).toBe(
      "HTTP/1.1 302 Elsewhere\r\nLocation: http://169.254.169.254/\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n" +
        "Content-Length: 0\r\nConnection: close\r\n\r\n",
    );
  });

  it("keeps its length and has no body after HEAD", async () => {
    const port = await serveHttp((_request, response) => response.setHeader("Content-Length", 1234).end());
    const client = new Client(await openProxy());
    client.send(`HEAD http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(await client.waitForClose()).toMatch(/\r\nContent-Length: 1234\r\n.*\r\n\r\n$/s);
  });

  it("is forwarded after 32 interim responses", async () => {
    const port = await serveTcp((socket) => {
      socket.once("data", () =>
        socket.write(
          `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(32)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
        ),
      );
    });
    const client = new Client(await openProxy());
    client.send(get(`http://127.0.0.1:${port}/`, "Connection: close\r\n"));
    expect(await client.waitForClose()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it.each([
    ["bare line feeds", "X-A: 1\nContent-Length: 2\n\nab", "X-A: 1\r\nContent-Length: 2\r\n", "ab"],
    [
      "a folded field",
      "X-A: 1\r\n 2\r\nContent-Length: 2\r\n\r\nab",
      "X-A: 1 2\r\nContent-Length: 2\r\n",
      "ab",
    ],
    [
      "control characters in a field",
      "X-A: 1\u0000\u00012\r\nContent-Length: 2\r\n\r\nab",
      "X-A: 1  2\r\nContent-Length: 2\r\n",
      "ab",
    ],
    [
      "a length and chunks",
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      "",
      "2\r\nab\r\n0\r\n\r\n",
    ],
    [
      "a length and the coding identity",
      "Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\nab",
      "",
      "2\r\nab\r\n0\r\n\r\n",
    ],
  ])("that Chromium accepts is corrected: %s", async (_case, sent, fields, body) => {
    const port = await serveTcp((socket) => {
      const lineEnd = sent.includes("\r") ? "\r\n" : "\n";
      socket.once("data", () => socket.end(`HTTP/1.1 200 OK${lineEnd}${sent}`, "latin1"));
    });
    const client = new Client(await openProxy());
    client.send(get(`http://127.0.0.1:${port}/`, "Connection: close\r\n"));
    const coding = body === "ab" ? "" : "Transfer-Encoding: chunked\r\n";
    expect(await client.waitForClose()).toBe(
      `HTTP/1.1 200 OK\r\n${fields}Connection: close\r\n${coding}\r\n${body}`,
    );
  });

  it("ends with the upstream's connection if it has no length", async () => {
    const port = await serveTcp((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nuntil the end"));
    const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.waitForText("\r\n0\r\n\r\n")).toContain("until the end");
  });

  it("is streamed", async () => {
    const port = await serveHttp((request, response) => {
      response.write("start");
      request.socket.once("close", () => response.destroy());
    });
    const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.waitForText("start")).not.toContain("\r\n0\r\n\r\n");
  });
});

describe("an upstream fault", () => {
  it.each([
    ["an immediate close", (): string => ""],
    ["a response that is not HTTP", (): string => "SSH-2.0-OpenSSH_9.2\r\n"],
    [
      "an unsolicited protocol switch",
      (): string => "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    ],
    ["a status out of range", (): string => "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n"],
    ["a field without a colon", (): string => "HTTP/1.1 200 OK\r\nX\r\nContent-Length: 0\r\n\r\n"],
    ["a space after the name of a length", (): string => "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nab"],
    ["two lengths", (): string => "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a length in two lines", (): string => "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\n0123456789"],
    ["more than 32 interim responses", (): string => "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(33)],
    ["headers of 300 KB", (): string => `HTTP/1.1 200 OK\r\nX: ${"x".repeat(300 * 1024)}\r\n\r\n`],
  ])("closes the client's connection: %s", async (_case, reply) => {
    const port = await serveTcp((socket) => {
      socket.once("data", () => socket.end(reply()));
    });
    const proxy = await openProxy();
    const client = new Client(proxy).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.waitForClose()).toBe("");
    const isSilent = reply() === "";
    expect(proxy.failure(`http://127.0.0.1:${port}/`)).toBe(isSilent ? null : "invalid-response");
  });

  it("closes the client's connection: a reset before the response", async () => {
    const port = await serveTcp((socket) => void socket.once("data", () => socket.resetAndDestroy()));
    const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.waitForClose()).toBe("");
  });

  it("closes the client's connection: an incomplete body, which stays incomplete", async () => {
    const port = await serveTcp((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
    });
    const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${port}/`));
    expect(await client.waitForClose()).toMatch(/\r\nContent-Length: 10\r\n.*\r\n\r\nhalf$/s);
  });

  it("closes the client's connection: a hang, once the proxy closes", async () => {
    const reached = Promise.withResolvers<void>();
    const port = await serveTcp((socket) => void socket.once("data", () => reached.resolve()));
    const proxy = await openProxy();
    const client = new Client(proxy).send(get(`http://127.0.0.1:${port}/`));
    await reached.promise;
    await proxy.close();
    expect(await client.waitForClose()).toBe("");
  });
});

describe("a client that disconnects", () => {
  it("closes the upstream connection, before and during the response", async () => {
    for (const reply of ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"]) {
      const left = Promise.withResolvers<string>();
      const reached = Promise.withResolvers<void>();
      const port = await serveTcp((socket) => {
        socket.once("close", () => left.resolve("left"));
        socket.once("end", () => socket.end());
        socket.once("data", () => {
          socket.write(reply);
          reached.resolve();
        });
      });
      const client = new Client(await openProxy()).send(get(`http://127.0.0.1:${port}/`));
      await reached.promise;
      if (reply !== "") await client.waitForText("half");
      client.socket.destroy();
      expect(await left.promise).toBe("left");
    }
  });

  it("leaves the upstream request incomplete if it was sending its body", async () => {
    const reached = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<string>();
    const port = await serveHttp((request) => {
      readBody(request).then(
        () => outcome.resolve("whole"),
        () => outcome.resolve("incomplete"),
      );
      reached.resolve();
    });
    const client = new Client(await openProxy());
    client.send(
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
    );
    await reached.promise;
    client.socket.end();
    expect(await outcome.promise).toBe("incomplete");
  });
});

describe("an invalid request, or one that is not in absolute form,", () => {
  it.each([
    ["in origin form", (): string => "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"],
    ["in asterisk form", (): string => "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"],
    ["https", (): string => get("https://127.0.0.1:PORT/")],
    ["an unsupported scheme", (): string => get("ftp://127.0.0.1:PORT/")],
    ["a backslash", (): string => get("http://127.0.0.1:PORT\\@example.com/")],
    [
      "a length and chunks",
      (): string =>
        get("http://127.0.0.1:PORT/", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n",
    ],
    [
      "two lengths",
      (): string => get("http://127.0.0.1:PORT/", "Content-Length: 4\r\nContent-Length: 5\r\n") + "body",
    ],
    ["a signed length", (): string => get("http://127.0.0.1:PORT/", "Content-Length: +4\r\n") + "body"],
    [
      "an unsupported transfer coding",
      (): string => get("http://127.0.0.1:PORT/", "Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n",
    ],
    [
      "a coding twice",
      (): string =>
        get("http://127.0.0.1:PORT/", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") +
        "0\r\n\r\n",
    ],
    ["an unfinished coding", (): string => get("http://127.0.0.1:PORT/", "Transfer-Encoding: identity\r\n")],
    ["a folded field", (): string => get("http://127.0.0.1:PORT/", "X: a\r\n b\r\n")],
    ["a space after the name of a field", (): string => get("http://127.0.0.1:PORT/", "X : a\r\n")],
    ["a bare line feed", (): string => "GET http://127.0.0.1:PORT/ HTTP/1.1\nHost: x\n\n"],
    ["an unknown expectation", (): string => get("http://127.0.0.1:PORT/", "Expect: miracles\r\n")],
    ["headers of 300 KB", (): string => get("http://127.0.0.1:PORT/", `X: ${"x".repeat(300 * 1024)}\r\n`)],
    ["TLS", (): string => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc"],
    ["HTTP/2", (): string => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["noise", (): string => "\u0000\u00ff\r\n\r\n"],
  ])("is dropped without a response: %s", async (_form, raw) => {
    let requests = 0;
    const port = await serveHttp((_request, response) => {
      requests += 1;
      response.end();
    });
    const client = new Client(await openProxy()).send(raw().replaceAll("PORT", String(port)));
    expect(await client.waitForClose()).toBe("");
    expect(requests).toBe(0);
  });
});
