import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { openPort } from "../../../testing/test/servers/open-port.ts";
import type { Resolver } from "../../src/ports/resolver.ts";
import { openSite, type Site } from "./site.ts";

/** Records TCP connections and UDP datagrams to a loopback port, over IPv4 and IPv6. */
export interface Trap {
  readonly port: number;
  readonly caught: string[];
  close(): Promise<void>;
}

export async function openTrap(): Promise<Trap> {
  const caught: string[] = [];
  const server = createServer((socket) => {
    caught.push(`tcp from ${socket.remoteAddress}`);
    socket.once("data", (data) => caught.push(data.toString("latin1").split("\r\n")[0] ?? ""));
  });
  const { port, close } = await openPort(server, "::"); // also accepts IPv4
  const udp = createSocket({ type: "udp6", ipv6Only: false }).on("message", (_data, from) => {
    caught.push(`udp from ${from.address}`);
  });
  udp.bind(port, "::");
  await once(udp, "listening");
  return {
    port,
    caught,
    async close() {
      udp.close();
      await close();
    },
  };
}

/** Serves a page that tries every way to connect to `?to=`. */
export function openHostileSite(): Promise<Site> {
  return openSite({
    "/": "every-way-out.html",
    "/service-worker.js": (request, response) => {
      const to = new URL(request.url ?? "", "http://site").searchParams.get("to") ?? "";
      response.setHeader("content-type", "text/javascript");
      response.end(`fetch("${to}/service-worker", { mode: "no-cors" })`);
    },
  });
}

/** Resolves every name to a loopback address, as an attacker's DNS server can. */
export const TO_LOOPBACK: Resolver = {
  resolve: async (name) => (name.startsWith("six") ? ["::1"] : ["127.0.0.1"]),
};

/** Hosts that lead to a loopback address. */
export const HOSTS = [
  "127.0.0.1",
  "localhost",
  "2130706433",
  "0x7f.1",
  "0.0.0.0",
  "127.1.2.3",
  "[::1]",
  "[::]",
  "[::ffff:7f00:1]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "four.example",
  "six.example",
  "app.localhost",
];
