import { connect, type Browser } from "puppeteer";
import type { ProtocolTransport } from "./protocol-transport.ts";

/** Connects Puppeteer to a browser. Only the time limit of a render ends its commands, so that it decides the error. */
export function connectPuppeteer(transport: ProtocolTransport): Promise<Browser> {
  return connect({ transport, defaultViewport: null, protocolTimeout: 0, targetFilter: () => false });
}
