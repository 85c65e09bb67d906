import { connect, type Browser } from "puppeteer";
import type { ProtocolTransport } from "./protocol-transport.ts";

/**
 * Connects Puppeteer to a browser. Commands have no default timeout, so the render's limit
 * determines the error.
 */
export function connectPuppeteer(transport: ProtocolTransport): Promise<Browser> {
  return connect({ transport, defaultViewport: null, protocolTimeout: 0, targetFilter: () => false });
}
