import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createBatchSignal } from "../src/batch-signal.ts";
import { openDatabase } from "../src/database.ts";

const message = (type: string, body: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, "latin1")]);
};
const AUTHENTICATED = message("R", "\0\0\0\0");
const READY = message("Z", "I");
const COMPLETE = message("C", "SELECT 0\0");
const TERMINATED = message("E", "SFATAL\0C57P01\0Mterminating connection\0\0");

/**
 * A server that implements just enough of PostgreSQL's protocol for statements without parameters. It terminates the first
 * connection together with its response to the startup message or to the first statement, as `terminate` says.
 */
async function openServer(terminate: "startup" | "statement"): Promise<string> {
  let isTerminated = false;
  const respond = (socket: Socket, kind: typeof terminate, ...messages: Buffer[]): void => {
    if (kind === terminate && !isTerminated) {
      isTerminated = true;
      socket.end(Buffer.concat([...messages, TERMINATED]));
    } else socket.write(Buffer.concat(messages));
  };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      respond(socket, "startup", AUTHENTICATED, READY);
      socket.on("data", (data) => {
        if (data.toString("latin1", 0, 1) === "Q") respond(socket, "statement", COMPLETE, READY);
      });
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `postgres://user@127.0.0.1:${(server.address() as AddressInfo).port}/database`;
}

it.each(["startup", "statement"] as const)(
  "replaces a connection that ends with the response to the %s while a transaction waits for it",
  async (terminate) => {
    const database = openDatabase({
      url: await openServer(terminate),
      maxConnections: 1,
      isPooled: true,
      onBackgroundError: () => {},
    });
    const [, result] = await Promise.all([
      database.query("SELECT 1"),
      database.transaction(async (query) => {
        await query("SELECT 2");
        return "committed";
      }),
    ]);
    expect(result).toBe("committed");
    await database.close();
  },
);

it("a certificate file that is missing when the batch signal connects is reported", async () => {
  const reported = Promise.withResolvers<unknown>();
  const signal = createBatchSignal({
    url: "postgres://user@127.0.0.1:1/database?sslrootcert=/nonexistent/root.pem",
    onBackgroundError: reported.resolve,
    canListen: true,
  });
  await signal.watch(() => {});
  expect(String(await reported.promise)).toBe(
    "Error: batch notifications from PostgreSQL are interrupted: ENOENT: no such file or directory, open '/nonexistent/root.pem'",
  );
  await signal.close();
});
