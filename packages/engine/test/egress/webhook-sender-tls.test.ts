import { makeCertificate, type AlternativeName } from "../../../testing/test/servers/certificate.ts";
import { openConnectProxy } from "../../../testing/test/servers/connect-proxy.ts";
import { listen } from "../../../testing/test/servers/listen.ts";
import { createServer, type Server } from "node:https";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseUpstreamProxy } from "../../src/egress/upstream-proxy.ts";
import { PUBLIC_TARGETS_ONLY } from "../../src/targets/policy.ts";
import { serveTcp } from "./egress-proxy.ts";
import { failed, openSender, responded, send } from "./webhook-sender.ts";

const RECEIVER: AlternativeName = { kind: "dns", name: "receiver.example.com" };
const TOMORROW = new Date(Date.now() + 86_400_000);
const YESTERDAY = new Date(Date.now() - 86_400_000);

interface ReceiverOptions {
  readonly names?: readonly AlternativeName[];
  readonly validUntil?: Date;
  readonly isTrusted?: boolean;
  readonly address?: string;
}

interface SecureReceiver {
  readonly port: number;
  /** Server names received (SNI). */
  readonly servernames: (string | false | null)[];
  readonly bodies: string[];
  /** Resolves with the decrypted data of a connection, once it closes. */
  readonly closed: Promise<string>;
}

async function openReceiver(options: ReceiverOptions = {}): Promise<SecureReceiver> {
  const { names = [RECEIVER], validUntil = TOMORROW, isTrusted = true, address = "127.0.0.1" } = options;
  const { cert, key } = makeCertificate({ names, validUntil });
  if (isTrusted) trust(cert);
  const servernames: SecureReceiver["servernames"] = [];
  const bodies: string[] = [];
  const closed = Promise.withResolvers<string>();
  let received = "";
  const server: Server = createServer({ cert, key }, (request, response) => {
    void text(request).then((body) => bodies.push(body));
    request.once("end", () => response.writeHead(204).end());
  });
  server.on("connection", (socket) => socket.once("close", () => closed.resolve(received)));
  server.on("secureConnection", (socket) => {
    servernames.push((socket as typeof socket & { servername: string | false | null }).servername);
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  });
  return { port: await listen(server, address), servernames, bodies, closed: closed.promise };
}

/** Trusts a certificate for the rest of the test, as NODE_EXTRA_CA_CERTS does. */
function trust(cert: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
}

describe("a webhook over https", () => {
  it("is sent to a receiver with a certificate for its name, with SNI (RFC 6066, 3)", async () => {
    const receiver = await openReceiver();
    expect(await send(openSender(), `https://Receiver.example.com:${receiver.port}/`)).toEqual(
      responded(204),
    );
    expect(receiver.servernames).toEqual(["receiver.example.com"]);
    expect(receiver.bodies).toEqual(["{}"]);
  });

  it("is encrypted even if the URL starts with a space or has capitals", async () => {
    const receiver = await openReceiver();
    for (const scheme of [" https", "HTTPS"]) {
      const url = `${scheme}://receiver.example.com:${receiver.port}/`;
      expect(await send(openSender(), url)).toEqual(responded(204));
    }
    expect(receiver.bodies).toEqual(["{}", "{}"]);
  });

  it("is sent through an upstream proxy, which sees only the checked address", async () => {
    const receiver = await openReceiver();
    const proxy = await openConnectProxy({ upstreamPort: receiver.port, credentials: "ada:s3cret" });
    onTestFinished(() => proxy.close());
    const sender = openSender({
      policy: PUBLIC_TARGETS_ONLY,
      resolver: { resolve: async () => ["93.184.215.14"] },
      upstreamProxy: parseUpstreamProxy({ url: `http://ada:s3cret@127.0.0.1:${proxy.port}` }),
    });
    expect(await send(sender, "https://receiver.example.com/hook")).toEqual(responded(204));
    expect(proxy.authorities).toEqual(["93.184.215.14:443"]);
    expect(receiver.servernames).toEqual(["receiver.example.com"]);
    expect(receiver.bodies).toEqual(["{}"]);
    await proxy.close();
    expect(await send(sender, "https://receiver.example.com/hook")).toEqual(failed("proxy-failed"));
    expect(await send(sender, "https://10.0.0.1/hook")).toEqual(failed("blocked"));
  });

  it.each([
    ["127.0.0.1", "127.0.0.1", [127, 0, 0, 1]],
    ["[::1]", "::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ])("is sent to %s if its certificate is for the address, without SNI", async (host, address, bytes) => {
    const receiver = await openReceiver({ address, names: [{ kind: "address", bytes }] });
    expect(await send(openSender(), `https://${host}:${receiver.port}/`)).toEqual(responded(204));
    expect(receiver.servernames).toEqual([false]);
    expect(receiver.bodies).toEqual(["{}"]);
  });

  it.each<[string, string, ReceiverOptions]>([
    ["another name", "receiver.example.com", { names: [{ kind: "dns", name: "other.example.com" }] }],
    ["a name instead of the address", "127.0.0.1", {}],
    ["another address", "127.0.0.1", { names: [{ kind: "address", bytes: [127, 0, 0, 2] }] }],
    ["no names", "receiver.example.com", { names: [] }],
    ["an expiry in the past", "receiver.example.com", { validUntil: YESTERDAY }],
    ["an untrusted issuer", "receiver.example.com", { isTrusted: false }],
  ])("is not sent if the certificate has %s", async (_case, host, options) => {
    const receiver = await openReceiver(options);
    expect(await send(openSender(), `https://${host}:${receiver.port}/`)).toEqual(failed("unreachable"));
    expect(await receiver.closed).toBe("");
    expect(receiver.bodies).toEqual([]);
  });

  it("is not sent if the certificate is untrusted, even with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const receiver = await openReceiver({ isTrusted: false });
    expect(await send(openSender(), `https://receiver.example.com:${receiver.port}/`)).toEqual(
      failed("unreachable"),
    );
    expect(await receiver.closed).toBe("");
  });

  it.each([
    ["does not use TLS", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["closes the connection", ""],
  ])("fails if the receiver %s", async (_case, reply) => {
    const port = await serveTcp((socket) => void socket.once("data", () => socket.end(reply)));
    expect(await send(openSender(), `https://receiver.example.com:${port}/`)).toEqual(failed("unreachable"));
  });
});
