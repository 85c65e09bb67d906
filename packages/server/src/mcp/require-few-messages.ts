import { SnapError } from "@snap/engine";

/** Older revisions of the protocol let a request carry a list of messages. */
const MAX_MESSAGES = 20;

/**
 * A request that carries thousands of messages would be answered with thousands of results at once.
 * What isn't JSON is left to the protocol.
 *
 * @throws SnapError `payload_too_large`.
 */
export function requireFewMessages(body: Uint8Array): void {
  const document = parse(body);
  if (Array.isArray(document) && document.length > MAX_MESSAGES)
    throw new SnapError("payload_too_large", `A request may carry at most ${MAX_MESSAGES} messages.`);
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
