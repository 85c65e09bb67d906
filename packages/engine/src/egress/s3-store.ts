import type { ObjectBucket, StoreFailure } from "../ports/object-store.ts";
import { systemClock, type Clock } from "../ports/clock.ts";
import type { Resolver } from "../ports/resolver.ts";
import { METADATA_TARGETS } from "../targets/metadata.ts";
import { parseTargetList } from "../targets/target-list.ts";
import { createHttpSender, type HttpRequest } from "./http-sender.ts";
import { systemResolver } from "./names/system-resolver.ts";
import { ERROR_START_BYTES, readKeys, readResponse, type S3Response } from "./s3-responses.ts";
import { sign } from "./s3-signature.ts";
import type { UpstreamProxy } from "./upstream-proxy.ts";

/** Time limit of one request, from name resolution to the last byte. */
export const STORE_TIMEOUT_MS = 30_000;
/** Most responses are empty, or a short XML document. */
const RESPONSE_BYTES_MAX = 65_536;
/** Enough for 1,000 keys of cached renderings, with any prefix; a longer list is cut off. */
const LIST_BYTES_MAX = 2 * 1024 * 1024;
/** Parts of a request without a body. */
const EMPTY = { headers: {}, body: null } as const;
/** SHA-256 of an empty body. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A bucket, and how to reach it. */
export interface S3StoreOptions {
  /** Origin of the service, such as `https://s3.eu-central-1.amazonaws.com`; may be on a private network. */
  readonly endpoint: string;
  /** As the service names it, such as `eu-central-1`; `auto` for Cloudflare R2. */
  readonly region: string;
  readonly bucket: string;
  /** Prepended to every key, as its first segments; none by default. At most 100 characters. */
  readonly prefix?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket is in the path, as by default, or in the host name. */
  readonly addressing?: "path" | "virtual" | undefined;
  /** Time limit of a request; 30,000 ms by default. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** `systemResolver` by default. */
  readonly resolver?: Resolver | undefined;
  /** None by default. */
  readonly upstreamProxy?: UpstreamProxy | null | undefined;
}

/** An S3-compatible object store. */
export interface S3Store extends ObjectBucket {
  /** Checks the bucket without changing it; returns `null` if it exists and the credentials can list it. */
  check(): Promise<StoreFailure | null>;
}

/**
 * Creates a store in a bucket of Amazon S3 or a compatible service. It never follows redirects, and does not
 * retry. Its endpoint is allowed even on a private network, but only for the store itself, not for pages. A
 * link-local address or a cloud's metadata service is never contacted, unless an upstream proxy resolves the
 * name.
 *
 * @throws RangeError if `addressing` is `virtual`, but the endpoint's host cannot have subdomains.
 * @example
 * const archive = createS3Store({
 *   endpoint: "https://s3.eu-central-1.amazonaws.com",
 *   region: "eu-central-1",
 *   bucket: "example-renderings",
 *   accessKeyId: "AKIAIOSFODNN7EXAMPLE",
 *   secretAccessKey: process.env.ARCHIVE_SECRET_ACCESS_KEY ?? "",
 * });
 * const engine = createEngine({ storage, renderer, secretKey, stores: { archive: { store: archive } } });
 */
export function createS3Store(options: S3StoreOptions): S3Store {
  const { bucket, timeoutMs = STORE_TIMEOUT_MS } = options;
  const { clock = systemClock, resolver = systemResolver, upstreamProxy } = options;
  const prefix = options.prefix === undefined || options.prefix === "" ? "" : `${options.prefix}/`;
  const bucketUrl = urlOf(options);
  const policy = { allow: parseTargetList(hostAndPort(bucketUrl)), deny: METADATA_TARGETS };
  const maxResponseBytes = RESPONSE_BYTES_MAX;
  const sender = createHttpSender({ policy, resolver, upstreamProxy, clock, timeoutMs, maxResponseBytes });
  const send = async (request: HttpRequest, sha256 = EMPTY_SHA256): Promise<S3Response> => {
    const headers = await sign(request, { ...options, sha256, now: clock.now() });
    return readResponse(await sender.send({ ...request, headers }), timeoutMs);
  };
  const urlOfKey = (key: string): string =>
    `${bucketUrl.href.replace(/\/$/, "")}/${encodePath(prefix + key)}`;
  return {
    async put({ key, bytes, sha256, contentType }) {
      const headers = { "Content-Type": contentType };
      const response = await send({ method: "PUT", url: urlOfKey(key), headers, body: bytes }, sha256);
      if ("failure" in response) return { failure: response.failure };
      return { location: `s3://${bucket}/${encodePath(prefix + key)}` };
    },
    async get({ key, maxBytes }) {
      // one extra byte shows that the object is too long; an error can be longer than the object
      const bodyMaxBytes = Math.max(maxBytes + 1, ERROR_START_BYTES);
      const response = await send({ ...EMPTY, method: "GET", url: urlOfKey(key), bodyMaxBytes });
      if ("failure" in response) return response.isMissing ? { bytes: null } : { failure: response.failure };
      return { bytes: response.body.byteLength > maxBytes ? null : response.body };
    },
    async delete(key) {
      const response = await send({ ...EMPTY, method: "DELETE", url: urlOfKey(key) });
      return "failure" in response && !response.isMissing ? response.failure : null;
    },
    async list(request) {
      const url = `${bucketUrl.href}?${listQuery(prefix, request)}`;
      const response = await send({ ...EMPTY, method: "GET", url, bodyMaxBytes: LIST_BYTES_MAX });
      if ("failure" in response) return { failure: response.failure };
      const outcome = readKeys(response.body);
      if ("failure" in outcome) return outcome;
      const matching = outcome.keys.filter((key) => key.startsWith(prefix + request.prefix));
      // a caller that continues after the last key would never reach the end
      if (request.after !== "" && matching.some((key) => key <= prefix + request.after))
        return { failure: { reason: "refused", detail: "the list ignores start-after" } };
      return { keys: matching.slice(0, request.limit).map((key) => key.slice(prefix.length)) };
    },
    async check() {
      const response = await send({ ...EMPTY, method: "HEAD", url: bucketUrl.href });
      return "failure" in response ? response.failure : null;
    },
  };
}

/** Uses `start-after`, which accepts any key; a continuation token has to come from an earlier response. */
function listQuery(
  storePrefix: string,
  { prefix, after, limit }: Parameters<ObjectBucket["list"]>[0],
): string {
  const query = new URLSearchParams({
    "list-type": "2",
    "encoding-type": "url",
    "max-keys": String(limit),
    prefix: storePrefix + prefix,
    ...(after !== "" && { "start-after": storePrefix + after }),
  });
  // not every service reads a plus sign as a space
  return query.toString().replaceAll("+", "%20");
}

function urlOf({ endpoint, bucket, addressing = "path" }: S3StoreOptions): URL {
  const url = new URL(endpoint);
  if (addressing === "path") {
    url.pathname = `/${bucket}`;
    return url;
  }
  const { host } = url;
  url.host = `${bucket}.${host}`;
  // setting an invalid host, such as one below an IP address, changes nothing
  if (url.host === host)
    throw new RangeError(`addressing cannot be virtual: ${host} cannot have the subdomain ${bucket}`);
  return url;
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Everything but unreserved characters is encoded, so no server reads the path differently (RFC 3986, 2.3). */
function encodePath(key: string): string {
  const encode = (segment: string): string =>
    encodeURIComponent(segment).replaceAll(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return key.split("/").map(encode).join("/");
}
