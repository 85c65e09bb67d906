import { DEFAULT_STORE_KEY, fillStoreKey, isObjectKey, LIMITS, type SnapParameters } from "@snap/protocol";
import { invalidParameter, type SnapError } from "../errors.ts";
import { dayOf } from "../days.ts";
import { CONTENT_TYPES } from "../ports/renderer.ts";
import { parseTarget } from "../targets/target.ts";

/** Returns the key of a rendering with this content type. */
export type ObjectKeyOf = (contentType: string) => string;

/** What a key is made of, besides the parameters. */
export interface ObjectKeyFacts {
  /** The key's first segment, so no account can replace another's objects. */
  readonly accountId: string;
  /** Id of the request or batch item. */
  readonly id: string;
  readonly requestedAt: number;
}

/**
 * Checks the key under which a rendering is stored, for every content type, and returns the function that makes it.
 *
 * @throws SnapError `validation_failed` if, with the placeholders replaced, the key or one of its segments is too long, or
 * the key is not a valid path.
 */
export function objectKeyOf(
  { url, storeKey = DEFAULT_STORE_KEY }: SnapParameters,
  { accountId, id, requestedAt }: ObjectKeyFacts,
): ObjectKeyOf {
  // without the brackets of an IPv6 address
  const host = parseTarget(url)?.hostname ?? "";
  const date = dayOf(requestedAt);
  const keyOf: ObjectKeyOf = (contentType) => {
    const [, ext = ""] = contentType.split("/");
    return `${accountId}/${fillStoreKey(storeKey, { host, date, id, ext })}`;
  };
  // only the render determines the extension, which can complete an escape: %0{ext} becomes %0avif
  const samples = CONTENT_TYPES.map(keyOf);
  if (!samples.every(isObjectKey))
    throw invalidKey(
      "must result in a path without empty, . or .. segments, backslashes or control characters, encoded or not",
    );
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
