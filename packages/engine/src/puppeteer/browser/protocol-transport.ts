import { ProtocolError, type ConnectionTransport } from "puppeteer";
import { abortable } from "../../timeouts.ts";
import { IncomingFile, readFileStart } from "./incoming-file.ts";
import {
  EDGE_BYTES,
  MESSAGE_MAX_BYTES,
  MessageReader,
  type DiscardedMessage,
  type MessageHandler,
  type MessageSink,
} from "./message-reader.ts";
import { PageChannel, type CaptureScreenshot } from "./page-channel.ts";

const CAPTURE_SCREENSHOT = "Page.captureScreenshot";
/** Puppeteer numbers its commands from 1, and the browser accepts 32 bits. */
const FIRST_SCREENSHOT_ID = 2 ** 30;

/** This event reports the titles and URLs of all pages, which nothing needs. */
const TARGET_CHANGED = '{"method":"Target.targetInfoChanged"';
const RESPONSE = /^\{\s*"id"\s*:\s*(\d+)/;
const SESSION_AT_END = /"sessionId"\s*:\s*"(\w+)"\s*\}\s*$/;

/** The connection that transports the messages. */
export interface Wire {
  send(message: string): void;
  close(): void;
  /** Throws if Puppeteer must not receive the message. */
  check(message: string): void;
}

/**
 * The messages between this process and a browser. Screenshots are decoded as they arrive. Messages
 * that are too long, not needed, or from a page that is flooding the connection, are discarded
 * unparsed. Puppeteer receives the others.
 */
export class ProtocolTransport implements ConnectionTransport, MessageHandler {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  /** Reads the browser's messages. */
  readonly reader = new MessageReader(this);
  readonly #wire: Wire;
  readonly #channels = new Map<string, PageChannel>();
  readonly #screenshots = new Map<number, IncomingFile>();
  #nextScreenshotId = FIRST_SCREENSHOT_ID;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  send(message: string): void {
    this.#wire.send(message);
  }

  close(): void {
    this.#wire.close();
  }

  /** Opens the channel of a page, given the page's own session. */
  openChannel(sessionId: string): PageChannel {
    return new PageChannel({
      sessionId,
      channels: this.#channels,
      captureScreenshot: this.#captureScreenshot,
    });
  }

  readonly #captureScreenshot: CaptureScreenshot = async ({ sessionId, params, maxBytes }, signal) => {
    const id = this.#nextScreenshotId;
    this.#nextScreenshotId += 1;
    const screenshot = new IncomingFile(maxBytes);
    this.#screenshots.set(id, screenshot);
    this.send(JSON.stringify({ id, method: CAPTURE_SCREENSHOT, params, sessionId }));
    try {
      return await abortable(signal, screenshot.received);
    } finally {
      this.#screenshots.delete(id);
    }
  };

  sinkFor(start: Buffer): MessageSink | null {
    const file = readFileStart(textOf(start));
    return file === null ? null : (this.#screenshots.get(file.id)?.open(file) ?? null);
  }

  onMessage(message: Buffer): void {
    const start = textOf(message);
    if (!this.#admit(start, { end: message, bytes: message.length })) return;
    const id = responseId(start);
    if (id !== null && id >= FIRST_SCREENSHOT_ID) this.#failScreenshot(id);
    else this.#deliver(message.toString("utf8"));
  }

  onDiscarded({ start, end, bytes }: DiscardedMessage): void {
    const text = textOf(start);
    const id = responseId(text);
    if (!this.#admit(text, { end, bytes }) || id === null) return;
    if (id >= FIRST_SCREENSHOT_ID) return this.#failScreenshot(id);
    const error = { code: -32_000, message: `The response is longer than ${MESSAGE_MAX_BYTES} bytes` };
    this.#deliver(JSON.stringify({ id, error, sessionId: sessionIdOf(end) }));
  }

  /** Passes a message to Puppeteer, whose handler is asynchronous and rejects if it cannot process the message. */
  #deliver(message: string): void {
    this.#wire.check(message);
    const handled: unknown = this.onmessage?.(message);
    Promise.resolve(handled).catch(() => this.close());
  }

  /** Counts a message toward its page's limits; returns whether it may be parsed. */
  #admit(start: string, { end, bytes }: Omit<DiscardedMessage, "start">): boolean {
    if (start.startsWith(TARGET_CHANGED)) return false;
    const channel = this.#channels.get(sessionIdOf(end) ?? "");
    return channel?.admit(start, bytes) ?? true;
  }

  #failScreenshot(id: number): void {
    this.#screenshots.get(id)?.fail(new ProtocolError(`Protocol error (${CAPTURE_SCREENSHOT})`));
  }
}

function textOf(start: Buffer): string {
  return start.toString("latin1", 0, EDGE_BYTES);
}

function responseId(start: string): number | null {
  const [, id] = RESPONSE.exec(start) ?? [];
  return id === undefined ? null : Number(id);
}

/** Chromium ends a session's messages with its id; a page's text cannot contain an unescaped quote. */
function sessionIdOf(end: Buffer): string | undefined {
  return SESSION_AT_END.exec(end.toString("latin1", Math.max(0, end.length - EDGE_BYTES)))?.[1];
}
