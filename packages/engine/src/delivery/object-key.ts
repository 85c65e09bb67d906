import { DEFAULT_STORE_KEY, fillStoreKey, isObjectKey, LIMITS, type SnapParameters } from "@snap/protocol";
import { invalidParameter, type SnapError } from "../errors.ts";
import { dayOf } from "../days.ts";
import { CONTENT_TYPES } from "../ports/renderer.ts";
import { parseTarget } from "../targets/target.ts";

/** Returns a rendering's key for its content type. */
export type ObjectKey = (contentType: string) => string;

/** What a key is made of, besides the parameters. */
export interface ObjectKeyFacts {
  /** The key's first segment, so no account can replace another's objects. */
  readonly accountId: string;
  /** Id of the request or batch item. */
  readonly id: string;
  readonly requestedAt: number;
}

/**
 * Returns the key under which a rendering is stored.
 *
 * @throws SnapError `validation_failed` if the key is too long or, with the placeholders replaced, not a valid path.
 */
export function objectKeyOf(
  { url, storeKey = DEFAULT_STORE_KEY }: SnapParameters,
  { accountId, id, requestedAt }: ObjectKeyFacts,
): ObjectKey {
  // without the brackets of an IPv6 address
  const host = parseTarget(url)?.hostname ?? "";
  const date = dayOf(requestedAt);
  const keyOf: ObjectKey = (contentType) => {
    const [, ext = ""] = contentType.split("/");
    return `${accountId}/${fillStoreKey(storeKey, { host, date, id, ext })}`;
  };
  // before the render, which determines the extension; one can complete an escape: %0{ext} becomes %0avif
  const samples = CONTENT_TYPES.map(keyOf);
  if (!samples.every(isObjectKey)) throw invalidKey("must be a path without empty, . or .. segments");
  if (samples.some((sample) => Buffer.byteLength(sample) > LIMITS.objectKeyBytes))
    throw invalidKey(
      `must result in a key of at most ${LIMITS.objectKeyBytes} bytes, including the account's prefix; shorten it`,
    );
  const segments = samples.flatMap((sample) => sample.split("/"));
  if (segments.some((segment) => Buffer.byteLength(segment) > LIMITS.objectKeySegmentBytes))
    throw invalidKey(`must result in segments of at most ${LIMITS.objectKeySegmentBytes} bytes; shorten it`);
  return keyOf;
}

function invalidKey(message: string): SnapError {
  return invalidParameter("storeKey", message);
}
