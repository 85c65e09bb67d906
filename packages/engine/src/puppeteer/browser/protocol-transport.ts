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
const TARGET_CHANGED = "Target.targetInfoChanged";
/** Chromium writes the session last and no whitespace; a proxy in between might do otherwise. */
const START =
  /^\{\s*(?:"sessionId"\s*:\s*"(?<session>\w+)"\s*,\s*)?"(?:id"\s*:\s*(?<id>\d+)|method"\s*:\s*"(?<event>[\w.]+)")/;
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
 * that are too long, not needed, or from a page that is flooding the connection are discarded
 * unparsed. Puppeteer receives the others, and an error in place of a response that is too long.
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
    const outline = outlineOf(message, message);
    if (!this.#admit(outline, message.length)) return;
    if (isScreenshot(outline)) this.#failScreenshot(outline.id);
    else this.#deliver(message.toString("utf8"));
  }

  onDiscarded({ start, end, bytes }: DiscardedMessage): void {
    const outline = outlineOf(start, end);
    const { id, sessionId } = outline;
    if (!this.#admit(outline, bytes) || id === null) return;
    if (isScreenshot(outline)) return this.#failScreenshot(id);
    const error = { code: -32_000, message: `The response is longer than ${MESSAGE_MAX_BYTES} bytes` };
    this.#deliver(JSON.stringify({ id, error, sessionId }));
  }

  /** Passes a message to Puppeteer, whose handler is asynchronous and rejects if it cannot process the message. */
  #deliver(message: string): void {
    this.#wire.check(message);
    const handled: unknown = this.onmessage?.(message);
    Promise.resolve(handled).catch(() => this.close());
  }

  /** Counts a message toward its page's limits; returns whether it may be parsed. */
  #admit({ event, sessionId = "" }: Outline, bytes: number): boolean {
    if (event === TARGET_CHANGED) return false;
    return this.#channels.get(sessionId)?.admit(event, bytes) ?? true;
  }

  #failScreenshot(id: number): void {
    this.#screenshots.get(id)?.fail(new ProtocolError(`Protocol error (${CAPTURE_SCREENSHOT})`));
  }
}

function textOf(start: Buffer): string {
  return start.toString("latin1", 0, EDGE_BYTES);
}

/** What the edges of a message show of it. */
interface Outline {
  /** The id of the command that it responds to; `null` for an event. */
  readonly id: number | null;
  /** The event's name; `null` for a response. */
  readonly event: string | null;
  /** `undefined` for a message of the browser itself. */
  readonly sessionId: string | undefined;
}

/** Reads a message's outline from its start and its end. A page's text cannot contain an unescaped quote. */
function outlineOf(start: Buffer, end: Buffer): Outline {
  const { id, event = null, session } = START.exec(textOf(start))?.groups ?? {};
  const ending = end.toString("latin1", Math.max(0, end.length - EDGE_BYTES));
  const sessionId = session ?? SESSION_AT_END.exec(ending)?.[1];
  return { id: id === undefined ? null : Number(id), event, sessionId };
}

function isScreenshot(outline: Outline): outline is Outline & { readonly id: number } {
  return outline.id !== null && outline.id >= FIRST_SCREENSHOT_ID;
}
