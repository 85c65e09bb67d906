import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

export interface Command {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly sessionId?: string;
}

export type Respond = (message: unknown) => void;

/**
 * Opens a WebSocket proxy for a browser; resolves with the proxy's URL. `intercept` can modify a command, or respond
 * to it and return `true`; the command is then not forwarded. It can send other commands, and return a promise to delay
 * this one.
 */
export async function openInterceptor(
  webSocketUrl: string,
  intercept: (
    command: Command,
    respond: Respond,
    send: (command: Command) => void,
  ) => boolean | void | Promise<void>,
): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on("connection", (client) => {
    const browser = new WebSocket(webSocketUrl);
    const opened = once(browser, "open");
    client.on("message", (data) => {
      const command = JSON.parse((data as Buffer).toString()) as Command;
      const send = (other: Command): void => browser.send(JSON.stringify(other));
      const outcome = intercept(command, (message) => client.send(JSON.stringify(message)), send);
      if (outcome === true) return;
      void Promise.all([opened, outcome]).then(() => send(command));
    });
    browser.on("message", (data) => client.send((data as Buffer).toString()));
    client.on("close", () => browser.terminate());
    browser.on("close", () => client.terminate());
    browser.on("error", () => client.terminate());
  });
  await once(server, "listening");
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
